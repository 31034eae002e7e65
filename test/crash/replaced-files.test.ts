import {
  copyFileSync,
  existsSync,
  mkdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, describe, expect, it } from "vitest";
import { type Belay, openBelay } from "../../src/index.ts";
import { type DataFolder, dataFolder } from "../../src/store/sqlite/database/data-folder.ts";
import { OpenFiles } from "../../src/store/sqlite/database/open-files.ts";
import { temporaryFolder } from "./temporary-folder.ts";

const root = temporaryFolder();
const opened: Belay[] = [];
afterEach(async () => {
  for (const belay of opened.splice(0)) await belay.close();
});

const FILES = ["belay.db", "belay.db-wal", "belay.db-shm", "anchor.log"];
const attacks = {
  removed: (path: string) => rmSync(path),
  moved: (path: string) => renameSync(path, `${path}.aside`),
  replaced: (path: string) => {
    copyFileSync(path, `${path}.copy`);
    renameSync(`${path}.copy`, path);
  },
};

describe("a write after a file of the store was removed", () => {
  const cases = FILES.flatMap((file) =>
    Object.entries(attacks).map(([how, attack]) => ({ file, how, attack })),
  );
  it.each(cases)("is refused: $file $how", async ({ file, how, attack }) => {
    const { home, belay } = await open(`${file}-${how}`);
    attack(join(home, file));
    await expect(write(belay)).rejects.toMatchObject({
      code: "storage_read_only",
      details: { path: join(home, file) },
      message: expect.stringMatching(/was moved, replaced or removed .* restart/i),
    });
    // The existing data can still be read.
    expect(await belay.sessions.get({ id: "kept-one" })).toMatchObject({ version: 2 });
  });

  it("is refused while the data folder is moved away, and accepted when it is back", async () => {
    const { home, belay } = await open("folder");
    renameSync(home, `${home}-aside`);
    await expect(write(belay)).rejects.toMatchObject({ code: "storage_read_only" });
    renameSync(`${home}-aside`, home);
    expect(await write(belay)).toMatchObject({ version: 3 });
  });

  it("is refused by the same process after others created a new store there", async () => {
    const { home, belay } = await open("made-anew");
    rmSync(home, { recursive: true });
    mkdirSync(home, { mode: 0o700 });
    const other = await openBelay({ home });
    opened.push(other);
    await other.sessions.create({ agent_name: "b", session_id: "new-one" });
    await expect(write(belay)).rejects.toMatchObject({ code: "storage_read_only" });
    expect(await write(other, "new-one")).toMatchObject({ version: 2 });
  });
});

describe("a folder that was not changed for a long time", () => {
  const later = () => Date.now() + 60_000;

  it.each(Object.entries(attacks))("is checked in detail after a file was %s", (how, attack) => {
    const files = settledFolder(`settled-${how}`);
    const opened = new OpenFiles(files, later);
    opened.check();
    waitForNextTime(files.folder);
    attack(files.anchor);
    expect(() => opened.check()).toThrow(/anchor\.log was moved, replaced or removed/);
  });

  it("is another folder after it was replaced", () => {
    const files = settledFolder("settled-folder");
    const opened = new OpenFiles(files, later);
    opened.check();
    renameSync(files.folder, `${files.folder}-aside`);
    settledFolder("settled-folder");
    expect(() => opened.check()).toThrow(/belay\.db was moved, replaced or removed/);
  });

  function settledFolder(name: string): DataFolder {
    const files = dataFolder(join(root, name));
    mkdirSync(files.folder);
    for (const file of FILES) writeFileSync(join(files.folder, file), "");
    return files;
  }

  /** File systems count times in steps, and only a change in a later step is visible. */
  function waitForNextTime(folder: string): void {
    const probe = join(root, "probe");
    const changed = statSync(folder).ctimeMs;
    do writeFileSync(probe, "");
    while (statSync(probe).ctimeMs <= changed);
  }
});

describe("negative controls", () => {
  it("SQLite alone acknowledges a write into a deleted file", () => {
    const path = join(root, "plain.db");
    const db = new DatabaseSync(path);
    db.exec("PRAGMA journal_mode = WAL; CREATE TABLE t (x); INSERT INTO t VALUES (1)");
    for (const end of ["", "-wal", "-shm"]) rmSync(`${path}${end}`);
    db.exec("INSERT INTO t VALUES (2)");
    expect(db.prepare("SELECT count(*) AS n FROM t").get()).toEqual({ n: 2 });
    expect(existsSync(path)).toBe(false);
    db.close();
  });

  it("normal writes, by this process or another, are not refused", async () => {
    const { home, belay } = await open("shared");
    const other = await openBelay({ home });
    await write(other);
    await other.close();
    await belay.maintenance.verify();
    await belay.maintenance.backup(join(root, "shared-copy"));
    expect(await write(belay)).toMatchObject({ version: 4 });
  });
});

async function open(name: string): Promise<{ home: string; belay: Belay }> {
  const home = join(root, name);
  const belay = await openBelay({ home });
  opened.push(belay);
  await belay.sessions.create({ agent_name: "a", session_id: "kept-one" });
  await write(belay);
  return { home, belay };
}

function write(belay: Belay, id = "kept-one") {
  return belay.sessions.update({ id, metadata: { at: Math.random() } });
}
