import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { request } from "node:http";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { LIMITS } from "../../src/contract/limits.ts";
import type { AlterBlobs } from "../../src/store/conformance/suite.ts";
import { alterSqliteBlobs } from "../conformance/alter-blobs.ts";
import {
  endAll,
  newPlace,
  type RealServer,
  runBelay,
  serve,
  textOf,
} from "../serve/server-process.ts";
import { alterPostgresBlobs } from "./alter-postgres-blobs.ts";
import { createPostgres } from "./postgres-server.ts";

const postgres = await createPostgres();
await postgres.start();
afterAll(async () => {
  await endAll();
  await postgres.remove();
});

const url = postgres.urlOf("postgres");
const stores: readonly (readonly [string, Record<string, string>, AlterBlobs])[] = [
  ["SQLite", {}, alterSqliteBlobs],
  ["PostgreSQL", { BELAY_DATABASE_URL: url }, (_, how) => alterPostgresBlobs(url, how)],
];

describe.each(stores)("altered contents on %s", (_, env, alter) => {
  it("are refused by downloads, checkpoints and exports, and found by verify", async () => {
    const place = newPlace();
    const server = await serve(place, { env });
    const body = { agent_name: "a", session_id: "altered" };
    await server.ask("POST", "/sessions", { body });
    const sizes = [1000, LIMITS.BLOB_CHUNK, 3 * LIMITS.BLOB_CHUNK];
    const digests: string[] = [];
    for (const size of sizes) digests.push(await upload(server, randomBytes(size)));
    const state = { notes: "x".repeat(2 * LIMITS.STATE_INLINE) };
    const saved = { name: "large", state };
    const checkpoint = await server.ask("POST", "/sessions/altered/checkpoints", { body: saved });
    expect(checkpoint.status).toBe(201);
    for (const [n, digest] of digests.entries()) {
      expect(await download(server, digest)).toMatchObject({ status: 200, bytes: sizes[n] });
    }

    await alter(place.home, "change a byte");
    const refused = { status: 500, json: { error: "storage_damaged" } };
    for (const [n, digest] of digests.entries()) {
      const { status, bytes, isComplete, text } = await download(server, digest);
      if (status === 500) {
        expect(isComplete).toBe(true);
        expect(JSON.parse(text)).toMatchObject(refused.json);
      } else {
        expect(isComplete).toBe(false);
        expect(bytes).toBeLessThan(sizes[n] ?? 0);
      }
    }
    const shown = "/sessions/altered/checkpoints/large";
    expect(await server.ask("GET", shown)).toMatchObject(refused);
    expect(await server.ask("POST", `${shown}/restore`, { body: {} })).toMatchObject(refused);
    const file = join(place.root, "copy");
    const args = ["download", "altered", digests[2] ?? "", file];
    expect(await runBelay(place, args, env)).toMatchObject({ code: 5 });
    expect(existsSync(file)).toBe(false);
    expect(await server.ask("GET", "/sessions/altered")).toMatchObject({ status: 200 });
    await server.end();
    const { code, stdout } = await runBelay(place, ["verify"], env);
    expect(code).toBe(5);
    expect(new Set(stdout.match(/file with number \d+/g)).size).toBe(4);
    place.remove();
  });
});

async function upload(server: RealServer, bytes: Uint8Array): Promise<string> {
  const response = await fetch(`${server.url}/sessions/altered/files?name=a.bin`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${server.token}`,
      "content-type": "application/octet-stream",
    },
    body: Buffer.from(bytes),
  });
  return textOf(await response.json(), "digest");
}

interface Downloaded {
  readonly status: number;
  readonly bytes: number;
  readonly isComplete: boolean;
  readonly text: string;
}

function download({ url, token }: RealServer, digest: string): Promise<Downloaded> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${token}` };
    const asked = request(`${url}/sessions/altered/files/${digest}`, { headers, agent: false });
    asked.on("error", reject);
    asked.on("response", (response) => {
      const pieces: Buffer[] = [];
      response.on("data", (piece) => pieces.push(piece));
      response.on("error", () => undefined);
      response.on("close", () => {
        const all = Buffer.concat(pieces);
        const { statusCode: status = 0, complete: isComplete } = response;
        resolve({ status, bytes: all.length, isComplete, text: all.toString("latin1") });
      });
    });
    asked.end();
  });
}
