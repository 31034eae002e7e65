import { createHash } from "node:crypto";
import { Readable } from "node:stream";
import { expect } from "vitest";
import { LIMITS } from "../../../contract/limits.ts";
import type { BlobStore } from "../../blob-store.ts";
import type { StreamStore } from "../../stream-store.ts";
import { begin, idOf, keep, write } from "../notebook.ts";
import type { Suite } from "../suite.ts";

const [A, B, C] = [idOf(1), idOf(2), idOf(3)];
const NOW = 1_700_000_100_000;
const { BLOB_BYTES, BLOB_CHUNK } = LIMITS;

export function blobs({ it, alterBlobs }: Suite): void {
  it("returns the stored bytes in chunks", async ({ open }) => {
    const store = await open();
    await keep(store, begin(A));
    for (const size of [0, 1, BLOB_CHUNK - 1, BLOB_CHUNK, 2 * BLOB_CHUNK + 1]) {
      const bytes = bytesOf(size, size);
      const put = await blobsOf(store).put(A, pieces(bytes, 70_001));
      expect(put).toEqual({ size, digest: digestOf(bytes), added: true });
      const found = await blobsOf(store).get(A, put.digest);
      expect(found?.size).toBe(size);
      const chunks = await collect(found?.bytes());
      expect(Math.max(0, ...chunks.map((chunk) => chunk.length))).toBeLessThanOrEqual(BLOB_CHUNK);
      expect(Buffer.concat(chunks).equals(bytes)).toBe(true);
    }
  });

  it("returns repetitive and binary data unchanged", async ({ open }) => {
    const store = await open();
    await keep(store, begin(A));
    for (const bytes of [Buffer.alloc(300_000, "again "), Buffer.from([0, 255, 254, 0, 10, 13])]) {
      const { digest } = await blobsOf(store).put(A, pieces(bytes));
      expect((await read(store, A, digest))?.equals(bytes)).toBe(true);
    }
  });

  it("refuses one byte more than the limit", async ({ open }) => {
    const store = await open();
    await keep(store, begin(A));
    const piece = bytesOf(BLOB_CHUNK, 7);
    let sent = 0;
    async function* tooMuch() {
      for (; sent < BLOB_BYTES; sent += piece.length) yield piece;
      yield new Uint8Array(1);
    }
    await expect(blobsOf(store).put(A, tooMuch())).rejects.toMatchObject({ code: "too_large" });
  });

  it("stores nothing if the source fails", async ({ open }) => {
    const store = await open();
    await keep(store, begin(A));
    const bytes = bytesOf(BLOB_CHUNK + 5, 3);
    async function* broken() {
      yield bytes;
      throw new Error("cut off");
    }
    await expect(blobsOf(store).put(A, broken())).rejects.toThrow("cut off");
    expect(await blobsOf(store).get(A, digestOf(bytes))).toBeUndefined();
    expect((await blobsOf(store).put(A, pieces(bytes))).size).toBe(bytes.length);
  });

  it("refuses values that are not bytes", async ({ open }) => {
    const store = await open();
    await keep(store, begin(A));
    const texts = Readable.from(["text"]);
    await expect(blobsOf(store).put(A, texts)).rejects.toMatchObject({ code: "invalid_input" });
  });

  it("shows a stream only its own blobs", async ({ open }) => {
    const store = await open();
    await keep(store, begin(A));
    await keep(store, begin(B));
    const { digest } = await blobsOf(store).put(A, pieces(bytesOf(10, 1)));
    expect(await blobsOf(store).get(B, digest)).toBeUndefined();
    expect(await blobsOf(store).get(C, digest)).toBeUndefined();
    expect(await blobsOf(store).get(A, "no digest")).toBeUndefined();
    const put = blobsOf(store).put(C, pieces(bytesOf(10, 1)));
    await expect(put).rejects.toMatchObject({ code: "session_not_found" });
  });

  it("keeps shared bytes until the last stream drops them", async ({ open }) => {
    const store = await open();
    await keep(store, begin(A));
    await keep(store, begin(B));
    const bytes = bytesOf(5000, 5);
    const { digest } = await blobsOf(store).put(A, pieces(bytes));
    expect(await blobsOf(store).put(A, pieces(bytes))).toMatchObject({ digest, added: false });
    expect(await blobsOf(store).put(B, pieces(bytes))).toMatchObject({ digest, added: true });
    await blobsOf(store).drop(A, digest);
    expect(await blobsOf(store).get(A, digest)).toBeUndefined();
    expect((await read(store, B, digest))?.equals(bytes)).toBe(true);
    await store.purge(B, NOW);
    await keep(store, begin(C));
    expect(await blobsOf(store).get(C, digest)).toBeUndefined();
    expect((await blobsOf(store).put(C, pieces(bytes))).digest).toBe(digest);
    expect((await read(store, C, digest))?.equals(bytes)).toBe(true);
  });

  it("are not damaged for a reader if their stream is purged meanwhile", async ({ open }) => {
    const store = await open();
    await keep(store, begin(A));
    const bytes = bytesOf(4 * BLOB_CHUNK, 1);
    const { digest } = await blobsOf(store).put(A, pieces(bytes));
    const found = await blobsOf(store).get(A, digest);
    const chunks: Uint8Array[] = [];
    const reading = (async () => {
      for await (const chunk of found?.bytes() ?? []) {
        chunks.push(chunk);
        await store.purge(A, NOW);
      }
    })();
    // A store may still have them.
    const end = await reading.catch((error: unknown) => error);
    if (end !== undefined) expect(end).toMatchObject({ code: "file_not_found" });
    else expect(Buffer.concat(chunks).equals(bytes)).toBe(true);
  });

  it("shares with a fork the blobs from before the fork, even after the original stream is purged", async ({
    open,
  }) => {
    const store = await open();
    await keep(store, begin(A, { lines: ["1"] }));
    const early = bytesOf(2000, 1);
    const late = bytesOf(2000, 2);
    const before = await blobsOf(store).put(A, pieces(early));
    await keep(store, write(A, { lines: ["2"] }));
    const after = await blobsOf(store).put(A, pieces(late));
    await keep(store, write(A, { lines: ["3"] }));
    await keep(store, begin(B, { base: { id: A, seq: 2 }, lines: ["b"] }));
    await keep(store, begin(C, { base: { id: B, seq: 3 }, lines: ["c"] }));
    for (const fork of [B, C]) {
      expect((await read(store, fork, before.digest))?.equals(early)).toBe(true);
      expect(await blobsOf(store).get(fork, after.digest)).toBeUndefined();
    }
    await store.purge(A, NOW);
    await store.purge(B, NOW);
    expect((await read(store, C, before.digest))?.equals(early)).toBe(true);
    await store.purge(C, NOW);
  });

  it("counts a blob for the stream's owner until the blob is dropped or the stream is purged", async ({
    open,
  }) => {
    const store = await open();
    const owner = "ann";
    await keep(store, begin(A));
    await keep(store, begin(B));
    const port = blobsOf(store);
    const before = await port.used(owner);
    const first = await port.put(A, pieces(bytesOf(3000, 1)));
    await port.put(A, pieces(bytesOf(3000, 1)));
    await port.put(B, pieces(bytesOf(500, 2)));
    expect((await port.used(owner)) - before).toBe(3500);
    expect(await port.used("somebody-else")).toBe(0);
    await port.drop(A, first.digest);
    expect((await port.used(owner)) - before).toBe(500);
    await store.purge(B, NOW);
    expect(await port.used(owner)).toBe(before);
  });

  it("still counts while a fork needs it, after its origin was purged", async ({ open }) => {
    const store = await open();
    await keep(store, begin(A, { lines: ["1"] }));
    const port = blobsOf(store);
    await port.put(A, pieces(bytesOf(3000, 1)));
    await keep(store, write(A, { lines: ["2"] }));
    // Otherwise a fork and a purge would make room that the disk does not have.
    await keep(store, begin(B, { base: { id: A, seq: 2 }, lines: ["b"] }));
    await store.purge(A, NOW);
    expect(await port.used("ann")).toBe(3000);
    await keep(store, begin(C, { base: { id: B, seq: 3 }, lines: ["c"] }));
    await store.purge(B, NOW);
    expect(await port.used("ann")).toBe(3000);
    const put = port.put(C, pieces(bytesOf(1000, 2)), undefined, 3500);
    await expect(put).rejects.toMatchObject({ code: "quota_exceeded" });
    await store.purge(C, NOW);
    expect(await port.used("ann")).toBe(0);
  });

  it("counts a blob once, however many forks share it", async ({ open }) => {
    const store = await open();
    await keep(store, begin(A, { lines: ["1"] }));
    const port = blobsOf(store);
    const { digest } = await port.put(A, pieces(bytesOf(3000, 1)));
    await keep(store, write(A, { lines: ["2"] }));
    await keep(store, begin(B, { base: { id: A, seq: 2 }, lines: ["b"] }));
    await keep(store, begin(C, { owner: "bob", base: { id: B, seq: 3 }, lines: ["c"] }));
    const used = async () => (await port.used("ann")) + (await port.used("bob"));
    expect(await port.used("ann")).toBe(3000);
    for (const origin of [A, B]) {
      expect(await used()).toBe(3000);
      await store.purge(origin, NOW);
    }
    expect(await used()).toBe(3000);
    expect(await read(store, C, digest)).toBeDefined();
    await store.purge(C, NOW);
    expect(await used()).toBe(0);
  });

  it("never exceeds an owner's quota, even if many blobs are stored at once", async ({ open }) => {
    const store = await open();
    const other = await open();
    await keep(store, begin(A));
    const put = async (nth: number): Promise<string> => {
      const port = blobsOf(nth % 2 === 0 ? store : other);
      return port.put(A, pieces(bytesOf(1000, nth + 1)), undefined, 3500).then(
        () => "stored",
        (error: { readonly code?: string }) => error.code ?? String(error),
      );
    };
    const outcomes = await Promise.all(Array.from({ length: 8 }, (_, nth) => put(nth)));
    expect(outcomes.filter((outcome) => outcome === "stored").length).toBe(3);
    expect(outcomes.filter((outcome) => outcome === "quota_exceeded").length).toBe(5);
    // Bytes that the stream holds already need no more room.
    const stored = outcomes.indexOf("stored");
    expect(await put(stored)).toBe("stored");
  });

  it("shows blobs to other handles, and after the store is reopened", async ({ open, close }) => {
    const store = await open();
    const other = await open();
    await keep(store, begin(A));
    const bytes = bytesOf(BLOB_CHUNK + 1, 9);
    const { digest } = await blobsOf(store).put(A, pieces(bytes));
    expect((await read(other, A, digest))?.equals(bytes)).toBe(true);
    await close(store);
    await close(other);
    const again = await open();
    expect((await read(again, A, digest))?.equals(bytes)).toBe(true);
  });

  if (!alterBlobs) return;

  for (const how of ["change a byte", "exchange two"] as const) {
    it(`refuses altered blobs, and never returns all of their bytes (${how})`, async ({
      folder,
      open,
    }) => {
      const store = await open();
      for (const size of [10, BLOB_CHUNK, 2 * BLOB_CHUNK + 1]) {
        const id = idOf(size);
        await keep(store, begin(id));
        const first = await blobsOf(store).put(id, pieces(bytesOf(size, 1)));
        const second = await blobsOf(store).put(id, pieces(bytesOf(size, 2)));
        await alterBlobs(folder, how);
        for (const { digest } of [first, second]) {
          let returned = 0;
          const reading = (async () => {
            const found = await blobsOf(store).get(id, digest);
            for await (const chunk of found?.bytes() ?? []) returned += chunk.length;
          })();
          await expect(reading).rejects.toMatchObject({ code: "storage_damaged" });
          expect(returned).toBeLessThan(size);
        }
        await store.purge(id, NOW);
      }
    });
  }
}

function blobsOf({ blobs: port }: StreamStore): BlobStore {
  if (!port) throw new Error("this store keeps no blobs");
  return port;
}

async function read(store: StreamStore, id: string, digest: string): Promise<Buffer | undefined> {
  const found = await blobsOf(store).get(id, digest);
  return found && Buffer.concat(await collect(found.bytes()));
}

async function collect(source: AsyncIterable<Uint8Array> | undefined): Promise<Uint8Array[]> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of source ?? []) chunks.push(chunk);
  return chunks;
}

async function* pieces(bytes: Uint8Array, size = bytes.length || 1): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

/** The same bytes for the same numbers, not compressible. */
function bytesOf(size: number, seed: number): Buffer {
  const bytes = Buffer.alloc(size);
  let state = seed + 1;
  for (let at = 0; at < size; at += 1) {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    bytes[at] = state >>> 24;
  }
  return bytes;
}

function digestOf(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}
