import { mkdtempSync, rmSync, statSync, truncateSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { idOf, keep, write } from "../../src/store/conformance/notebook.ts";
import { copyStore } from "../../src/store/copy/copy-store.ts";
import { openSqliteStore, type SqliteStore } from "../../src/store/sqlite/open-sqlite-store.ts";
import { openFiles } from "../conformance/open-files.ts";
import { expectAlive, expectSame, fillStore } from "./copied-scene.ts";

const root = mkdtempSync(join(tmpdir(), "belay-copy-"));
const isAlive = () => true;
let folders = 0;
const newFolder = () => {
  folders += 1;
  return join(root, `${folders}`);
};
const openSqlite = (folder = newFolder()) =>
  openSqliteStore({ folder, isAlive, synchronous: "OFF" });
let original: SqliteStore;

beforeAll(async () => {
  original = await openSqlite();
  await fillStore(original);
});
afterAll(async () => {
  await original.close();
  rmSync(root, { recursive: true, force: true });
});

describe("a copy of a store", () => {
  it("has the same hashes in files, and again in SQLite", async () => {
    const [files, back] = [await openFiles({ folder: newFolder(), isAlive }), await openSqlite()];
    const progress: number[] = [];
    const source = await original.openSource();
    const report = await copyStore(source, files, (done, total) => progress.push(done / total));
    await source.close();
    expect(report).toMatchObject({ skipped: 0, streams: 5 });
    expect(progress.at(-1)).toBe(1);
    await expectSame(files, original);
    const findings = [];
    for await (const finding of files.inspect()) findings.push(finding);
    expect(findings).toEqual([]);

    await copyStore(await files.openSource(), back);
    await expectSame(back, original);
    await expectAlive(files);
    await expectAlive(back);
    await files.close();
    await back.close();
  });

  it("continues after an interruption at any transaction", async () => {
    const target = await openFiles({ folder: newFolder(), isAlive });
    let left = 0;
    const cut: typeof target.transact = async (transaction) => {
      left -= 1;
      if (left < 0) throw new Error("cut off");
      return target.transact(transaction);
    };
    const source = await original.openSource();
    let cuts = 0;
    for (;;) {
      left = 1;
      const done = await copyStore(source, { ...target, transact: cut }).catch(() => null);
      if (done) break;
      cuts += 1;
    }
    await source.close();
    expect(cuts).toBeGreaterThan(20);
    await expectSame(target, original);
    await target.close();
  });

  it("continues after a kill before the end of the last line in files", async () => {
    const folder = newFolder();
    const source = await original.openSource();
    let left = 4;
    const target = await openFiles({ folder, isAlive });
    const cut: typeof target.transact = async (transaction) => {
      left -= 1;
      if (left < 0) throw new Error("cut off");
      return target.transact(transaction);
    };
    await expect(copyStore(source, { ...target, transact: cut })).rejects.toThrow("cut off");
    await target.close();
    // A line is a commit once it is complete; the next writer ends it.
    const commits = join(folder, "commits.ndjson");
    truncateSync(commits, statSync(commits).size - 1);
    const again = await openFiles({ folder, isAlive });
    expect(await copyStore(source, again)).toMatchObject({ skipped: 14 });
    await source.close();
    await expectSame(again, original);
    await again.close();
  });

  it("gets events that were written later, and loses sessions that were purged later", async () => {
    const [source, target] = [
      await openSqlite(),
      await openFiles({ folder: newFolder(), isAlive }),
    ];
    await fillStore(source);
    await copyStore(await source.openSource(), target);
    await keep(source, write(idOf(1), { lines: ["since then"] }));
    await source.purge(idOf(6), 1_700_000_200_000);
    const again = await copyStore(await source.openSource(), target);
    expect(again.events - again.skipped).toBe(1);
    await expectSame(target, source);
    await source.close();
    await target.close();
  });

  it("is refused by a target with other data, which stays unchanged", async () => {
    const target = await openFiles({ folder: newFolder(), isAlive });
    await fillStore(target);
    await keep(target, write(idOf(1), { lines: ["its own"] }));
    const end = (await target.readFeed({ after: null, limit: 1 })).cursor;
    const copying = copyStore(await original.openSource(), target);
    await expect(copying).rejects.toMatchObject({ code: "invalid_input" });
    expect((await target.readFeed({ after: null, limit: 1 })).cursor).toBe(end);
    await target.close();
  });

  it("control: is found different if one event differs", async () => {
    const target = await openFiles({ folder: newFolder(), isAlive });
    const source = await original.openSource();
    async function* altered() {
      for await (const event of source.readEvents()) {
        yield event.meta.seq === 5 ? { ...event, body: '{"text":"altered"}' } : event;
      }
    }
    const copying = copyStore({ ...source, readEvents: altered }, target);
    await expect(copying).rejects.toMatchObject({ code: "storage_damaged" });
    await source.close();
    await target.close();
  });
});
