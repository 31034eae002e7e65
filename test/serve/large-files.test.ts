import { createHash, randomBytes } from "node:crypto";
import { createWriteStream, existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { endAll, newPlace, type RealServer, runBelay, serve, textOf } from "./server-process.ts";

const MB = 1024 * 1024;
const place = newPlace();
let server: RealServer;

beforeAll(async () => {
  server = await serve(place);
  await server.ask("POST", "/sessions", { body: { agent_name: "a", session_id: "large-1" } });
});
afterAll(endAll);

describe("a file of 64 MB", () => {
  it("is uploaded and downloaded over HTTP, and the server grows by at most 16 MB", async () => {
    const chunk = randomBytes(MB);
    const inAndOut = async (): Promise<void> => {
      const hash = createHash("sha256");
      const sent = await send(
        server,
        each(64, () => stamp(chunk, hash)),
      );
      const digest = hash.digest("hex");
      expect(sent).toMatchObject({ status: 201, json: { digest, size: 64 * MB } });
      expect(await fetchFile(server, digest)).toEqual({ digest, size: 64 * MB });
    };
    // The first time includes loading.
    await inAndOut();
    const before = memoryOf(server.pid);
    forgetPeak(server.pid);
    await inAndOut();
    expect((peakOf(server.pid) - before) / MB).toBeLessThan(16);
  });

  it("is refused with one byte more, declared or not", async () => {
    const zeros = Buffer.alloc(MB);
    const pieces = () => [...each(64, () => zeros), Buffer.alloc(1)];
    expect(await send(server, pieces())).toMatchObject({
      status: 413,
      json: { error: "too_large" },
    });
    const said = { "content-length": `${64 * MB + 1}` };
    expect(await send(server, [], said)).toMatchObject({
      status: 413,
      json: { error: "too_large" },
    });
    expect(countBlobs()).toMatchObject({ unfinished: 0 });
  });

  it("leaves nothing readable if its sender disconnects or the server is killed", async () => {
    const before = countBlobs();
    await breakOff(server, 8);
    await expect.poll(countBlobs).toEqual(before);
    const other = newPlace();
    const doomed = await serve(other);
    await doomed.ask("POST", "/sessions", { body: { agent_name: "a", session_id: "large-1" } });
    const cut = breakOff(doomed, 8, () => doomed.end("SIGKILL"));
    await cut;
    const again = await serve(other);
    const { json } = await again.ask("GET", "/sessions/large-1/artifacts");
    expect(json).toMatchObject({ artifacts: [] });
    expect((await runBelay(other, ["verify"])).code).toBe(0);
    await again.end();
  });
});

describe("files from the command line", () => {
  it("are stored, listed and downloaded, and never overwrite another", async () => {
    const file = join(place.root, "report.bin");
    writeFileSync(file, randomBytes(3 * MB));
    const kept = await runBelay(place, ["upload", "large-1", file, "--json"]);
    const digest = textOf(kept.json, "digest");
    expect(kept).toMatchObject({ code: 0, json: { session_id: "large-1", size: 3 * MB } });
    const { stdout } = await runBelay(place, ["artifacts", "large-1"]);
    expect(stdout).toContain("report.bin");
    const copy = join(place.root, "copy.bin");
    expect((await runBelay(place, ["download", "large-1", digest, copy])).code).toBe(0);
    expect(readFileSync(copy).equals(readFileSync(file))).toBe(true);
    const again = await runBelay(place, ["download", "large-1", digest, copy]);
    expect(again.code).toBe(2);
    expect(again.stderr).toContain("already exists");
    const unknown = await runBelay(place, ["download", "large-1", "0".repeat(64), `${copy}2`]);
    expect(unknown.code).toBe(3);
    expect(existsSync(`${copy}2`)).toBe(false);
    expect((await runBelay(place, ["upload", "large-1", "/dev/zero"])).code).toBe(2);
    expect((await runBelay(place, ["upload", "large-1", "/nowhere"])).code).toBe(2);
  });

  it("are removed when dropped, and other owners never see them", async () => {
    const { json } = await send(server, [Buffer.from("mine")]);
    const digest = textOf(json, "digest");
    const made = await runBelay(
      place,
      ["token", "create", "--name", "bob", "--scope", "admin", "--json"],
      {
        BELAY_OWNER: "bob",
      },
    );
    const token = textOf(made.json, "token");
    const path = `/sessions/large-1/files/${digest}`;
    expect((await server.ask("GET", path, { token })).status).toBe(404);
    expect((await server.ask("DELETE", path, { token })).status).toBe(404);
    expect((await server.ask("GET", path)).text).toBe("mine");
    expect((await server.ask("DELETE", path)).status).toBe(204);
    expect(await server.ask("GET", path)).toMatchObject({
      status: 404,
      json: { error: "file_not_found" },
    });
  });
});

function* each(count: number, make: () => Uint8Array): Generator<Uint8Array> {
  for (let nth = 0; nth < count; nth += 1) yield make();
}

/** Every piece is different, and all are hashed. */
function stamp(chunk: Buffer, hash: ReturnType<typeof createHash>): Buffer {
  chunk.writeUInt32LE((chunk.readUInt32LE(0) + 1) >>> 0, 0);
  hash.update(chunk);
  return Buffer.from(chunk);
}

const FILE = { "content-type": "application/octet-stream" };

function send(
  to: RealServer,
  pieces: Iterable<Uint8Array>,
  headers: Readonly<Record<string, string>> = { "transfer-encoding": "chunked" },
): Promise<{ readonly status: number; readonly json: unknown }> {
  return new Promise((resolve, reject) => {
    const asked = request(`${to.url}/sessions/large-1/files?name=a.bin`, {
      method: "POST",
      headers: { ...FILE, ...headers, authorization: `Bearer ${to.token}` },
    });
    asked.on("response", async (response) => {
      let text = "";
      for await (const part of response) text += String(part);
      resolve({ status: response.statusCode ?? 0, json: JSON.parse(text) });
    });
    asked.on("error", reject);
    // A refusal may come before everything is sent.
    pipeline(Readable.from(pieces), asked).catch(() => undefined);
  });
}

async function breakOff(
  to: RealServer,
  count: number,
  before: () => Promise<unknown> = async () => undefined,
): Promise<void> {
  const asked = request(`${to.url}/sessions/large-1/files?name=a.bin`, {
    method: "POST",
    headers: { ...FILE, "transfer-encoding": "chunked", authorization: `Bearer ${to.token}` },
  });
  asked.on("error", () => undefined);
  for (const piece of each(count, () => randomBytes(MB))) {
    await new Promise((written) => asked.write(piece, written));
  }
  await before();
  asked.destroy();
}

async function fetchFile(from: RealServer, digest: string) {
  const response = await fetch(`${from.url}/sessions/large-1/files/${digest}`, {
    headers: { authorization: `Bearer ${from.token}` },
  });
  const path = join(place.root, digest);
  if (!response.body) throw new Error("there is no file");
  await pipeline(Readable.fromWeb(response.body), createWriteStream(path));
  const hash = createHash("sha256").update(readFileSync(path));
  return { digest: hash.digest("hex"), size: statSync(path).size };
}

function countBlobs(): unknown {
  const database = new DatabaseSync(join(place.home, "belay.db"), { readOnly: true });
  try {
    const row = database
      .prepare("SELECT count(*) AS whole, count(*) - count(digest) AS unfinished FROM blobs")
      .get();
    return { ...row };
  } finally {
    database.close();
  }
}

function memoryOf(pid: number): number {
  return readStatus(pid, "VmRSS");
}

function peakOf(pid: number): number {
  return readStatus(pid, "VmHWM");
}

function forgetPeak(pid: number): void {
  writeFileSync(`/proc/${pid}/clear_refs`, "5");
}

function readStatus(pid: number, field: string): number {
  const text = readFileSync(`/proc/${pid}/status`, "utf8");
  return Number(new RegExp(`${field}:\\s+(\\d+) kB`).exec(text)?.[1]) * 1024;
}
