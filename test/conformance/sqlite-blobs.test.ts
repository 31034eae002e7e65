import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it } from "vitest";
import { begin, idOf, keep } from "../../src/store/conformance/notebook.ts";
import { openSqliteStore } from "../../src/store/sqlite/open-sqlite-store.ts";
import type { Finding } from "../../src/store/store-care.ts";

const MB = 1024 * 1024;

describe("a file whose sender was killed", () => {
  it("leaves no byte in the database after a minute without data", async () => {
    const folder = mkdtempSync(join(tmpdir(), "belay-blobs-"));
    const clock = { now: 1_000_000 };
    const open = () => openSqliteStore({ folder, isAlive: () => true, now: () => clock.now });
    try {
      const killed = await open();
      await keep(killed, begin(idOf(1)));
      const stuck = Promise.withResolvers<void>();
      const arrived = Promise.withResolvers<void>();
      async function* halfway() {
        yield Buffer.alloc(2 * MB, "x");
        arrived.resolve();
        await stuck.promise;
      }
      // Never awaited, because it never ends, as in a process that is gone.
      void killed.blobs?.put(idOf(1), halfway()).catch(() => undefined);
      await arrived.promise;
      const next = await open();
      await next.blobs?.put(idOf(1), one("a"));
      expect(count(folder)).toMatchObject({ blobs: 2, chunks: 3 });
      clock.now += 60_000;
      await next.blobs?.put(idOf(1), one("b"));
      expect(count(folder)).toEqual({ blobs: 2, chunks: 2, unfinished: 0 });
      stuck.resolve();
      await next.close();
      await killed.close();
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it("is reported as an error to a sender that was only slow", async () => {
    const folder = mkdtempSync(join(tmpdir(), "belay-blobs-"));
    const clock = { now: 1_000_000 };
    const store = await openSqliteStore({ folder, isAlive: () => true, now: () => clock.now });
    try {
      await keep(store, begin(idOf(1)));
      async function* slow() {
        yield Buffer.alloc(2 * MB, "x");
        clock.now += 60_000;
        await store.blobs?.put(idOf(1), one("b"));
        yield Buffer.alloc(MB, "y");
      }
      await expect(store.blobs?.put(idOf(1), slow())).rejects.toMatchObject({
        code: "request_timeout",
      });
      expect(count(folder)).toEqual({ blobs: 1, chunks: 1, unfinished: 0 });
    } finally {
      await store.close();
      rmSync(folder, { recursive: true });
    }
  });
});

it("a file that is removed while it is verified is not damaged", async () => {
  const folder = mkdtempSync(join(tmpdir(), "belay-blobs-"));
  const store = await openSqliteStore({ folder, isAlive: () => true });
  try {
    await keep(store, begin(idOf(1)));
    await store.blobs?.put(idOf(1), [Buffer.alloc(4 * MB, "x")]);
    const findings = collect(store.inspect());
    await store.purge(idOf(1), 1);
    expect(count(folder)).toMatchObject({ blobs: 0 });
    expect(await findings).toEqual([]);
  } finally {
    await store.close();
    rmSync(folder, { recursive: true });
  }
});

async function collect(findings: AsyncIterable<Finding>): Promise<Finding[]> {
  const all: Finding[] = [];
  for await (const finding of findings) all.push(finding);
  return all;
}

function count(folder: string): unknown {
  const database = new DatabaseSync(join(folder, "belay.db"), { readOnly: true });
  try {
    const counted = database.prepare(COUNT).get();
    return { ...counted };
  } finally {
    database.close();
  }
}

const COUNT = `SELECT (SELECT count(*) FROM blobs WHERE digest IS NOT NULL) +
    (SELECT count(*) FROM blobs WHERE digest IS NULL) AS blobs,
  (SELECT count(*) FROM blob_chunks) AS chunks,
  (SELECT count(*) FROM blobs WHERE digest IS NULL) AS unfinished`;

async function* one(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}
