import { cpSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { beforeAll, describe, expect, it } from "vitest";
import { openSqliteStore } from "../../src/store/sqlite/open-sqlite-store.ts";
import { fillStore } from "../copy/copied-scene.ts";
import { atOnce } from "./at-once.ts";
import { traceWorker } from "./run-worker.ts";
import { sampleSize } from "./sample-size.ts";
import { say } from "./say.ts";
import { temporaryFolder } from "./temporary-folder.ts";

const root = temporaryFolder();
const source = join(root, "source");
const CALLS = ["pwrite64", "fsync", "ftruncate"] as const;

beforeAll(async () => {
  const store = await openSqliteStore({ folder: source, isAlive: () => true, synchronous: "OFF" });
  await fillStore(store);
  await store.close();
});

describe("a process that is killed while it migrates a data folder", () => {
  it("leaves all data to the next process, at whichever write it dies", async () => {
    const home = newFolder();
    await migrateIn(home, []);
    const untouched = lookAt(home);
    expect(untouched.schema).toContain("events_by_later");
    const points = await pointsOf(sampleSize({ full: 1000, sample: 6 }));
    const ends = await atOnce(2, points, (point) => killAt(point));
    const killed = ends.filter((end) => end.killed);
    say(`${killed.length} real SIGKILLs in migrations`);
    expect(killed.length).toBeGreaterThanOrEqual(points.length - 2);
    for (const { found } of ends) expect(found).toEqual(untouched);
  });

  it("control: migrations outside transactions are seen to damage a folder", async () => {
    const points = await pointsOf(4, "careless");
    const ends = await atOnce(2, points, (point) => killAt(point, "careless"));
    const broken = ends.filter(({ found }) => "error" in found);
    say(`control: ${broken.length} of ${ends.length} kills of a careless migration break it`);
    expect(broken.length).toBeGreaterThan(0);
  });
});

interface Point {
  readonly call: (typeof CALLS)[number];
  readonly when: number;
}

async function killAt({ call, when }: Point, mode = "honest") {
  const home = newFolder();
  const inject = `inject=${call}:signal=SIGKILL:when=${when}`;
  const strace = ["-o", "/dev/null", "-e", `trace=${call}`, "-e", inject];
  const { signal, code, stderr } = await traceWorker(strace, "opening", [home, mode]);
  if (signal !== "SIGKILL" && code !== 0) throw new Error(`the worker failed by itself: ${stderr}`);
  // The next process completes the migration.
  const found = await migrateIn(home, [], mode)
    .then(() => lookAt(home))
    .catch((error: unknown) => ({ error }));
  rmSync(home, { recursive: true });
  return { killed: signal === "SIGKILL", found };
}

async function migrateIn(home: string, strace: readonly string[], mode = "honest"): Promise<void> {
  const { code, stderr } = await traceWorker(
    ["-o", "/dev/null", "-e", "trace=none", ...strace],
    "opening",
    [home, mode],
  );
  if (code !== 0) throw new Error(stderr);
}

/** This many writes of each kind, spread evenly over an undisturbed run. */
async function pointsOf(most: number, mode = "honest"): Promise<Point[]> {
  const home = newFolder();
  const trace = join(root, `trace-${mode}`);
  await traceWorker(["-y", "-o", trace, "-e", `trace=${CALLS.join()}`], "opening", [home, mode]);
  const lines = readFileSync(trace, "utf8").split("\n");
  return CALLS.flatMap((call) => {
    const made = lines.filter((line) => line.includes(`${call}(`) && line.includes(home)).length;
    const count = Math.min(made, most);
    const places = Array.from({ length: count }, (_, n) => Math.floor((n * made) / count) + 1);
    return [...new Set([...places, ...(made > 0 ? [made] : [])])].map((when) => ({ call, when }));
  });
}

/** The tables of a folder, and all that they contain. */
function lookAt(home: string) {
  const database = new DatabaseSync(join(home, "belay.db"));
  try {
    const objects = database.prepare("SELECT name, sql FROM sqlite_schema ORDER BY name").all();
    const tables = database.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all();
    const contents = tables.map(({ name }) => database.prepare(`SELECT * FROM ${name}`).all());
    const { integrity_check } = database.prepare("PRAGMA integrity_check").get() ?? {};
    return { schema: JSON.stringify(objects), contents: JSON.stringify(contents), integrity_check };
  } finally {
    database.close();
  }
}

let made = 0;

function newFolder(): string {
  made += 1;
  const home = join(root, `home-${made}`);
  mkdirSync(home, { mode: 0o700 });
  cpSync(source, home, { recursive: true });
  return home;
}
