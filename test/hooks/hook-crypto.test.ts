import * as crypto from "node:crypto";
import * as zlib from "node:zlib";
import { describe, expect, it } from "vitest";
import { sha256 } from "../../src/files/sha256.ts";
import { createHash, hash, randomBytes, randomUUID } from "../../src/hook-crypto.ts";
import { crc32 } from "../../src/hook-zlib.ts";

describe("the replacement of node:crypto in the hooks' bundle", () => {
  it("hashes every length around block ends like node:crypto", () => {
    for (let size = 0; size <= 260; size += 1) {
      const bytes = crypto.randomBytes(size);
      expect(sha256(bytes).toString("hex")).toBe(crypto.hash("sha256", bytes, "hex"));
    }
  });

  it("hashes small and large texts and bytes, in chunks and each encoding, like node:crypto", () => {
    for (const text of ["", "abc", "größer als ASCII ✓", "x".repeat(40_000)]) {
      const real = crypto.createHash("sha256").update(text).update(Buffer.from(text)).digest();
      const made = () => createHash("sha256").update(text).update(Buffer.from(text));
      expect(made().digest()).toEqual(real);
      expect(made().digest("base64url")).toBe(real.toString("base64url"));
      expect(hash("sha256", text)).toBe(crypto.hash("sha256", text));
    }
  });

  it("computes a CRC like node:zlib, for small and large input in chunks", () => {
    for (const text of ["", "abc", "größer als ASCII ✓", "x".repeat(40_000)]) {
      expect(crc32(text)).toBe(zlib.crc32(text));
      expect(crc32(Buffer.from(text), crc32("before"))).toBe(zlib.crc32(`before${text}`));
    }
  });

  it("creates unique ids", () => {
    const ids = Array.from({ length: 1000 }, randomUUID);
    expect(new Set(ids).size).toBe(1000);
    for (const id of ids)
      expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(randomBytes(24)).toHaveLength(24);
  });
});
