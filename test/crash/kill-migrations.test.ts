import { mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createMaintenance } from "../../src/service/maintenance.ts";
import { readEvents, readRows } from "../../src/store/read-streams.ts";
import { dumpSchema } from "../../src/store/sqlite/database/dump-schema.ts";
import { openSqliteStore } from "../../src/store/sqlite/open-sqlite-store.ts";
import type { StreamStore } from "../../src/store/stream-store.ts";
import { OLD_SCHEMAS, type OldSchema, writeOldFolder } from "../conformance/old-folder.ts";
import { atOnce } from "./at-once.ts";
import { traceWorker } from "./run-worker.ts";
import { sampleSize } from "./sample-size.ts";
import { say } from "./say.ts";
import { temporaryFolder } from "./temporary-folder.ts";

const root = temporaryFolder();
const CALLS = ["pwrite64", "fsync", "ftruncate"] as const;

describe("a process that is killed while it migrates an old data folder", () => {
  it.each(OLD_SCHEMAS)(
    "leaves all data to the next process, at whichever write it dies: %s",
    async (schema) => {
      const untouched = await lookAt(newFolder(schema));
      const points = await pointsOf(schema, sampleSize({ full: 1000, sample: 2 }));
      const ends = await atOnce(2, points, (point) => killAt(schema, point));
      const killed = ends.filter((end) => end.killed);
      say(`${killed.length} real SIGKILLs in migrations from ${schema}`);
      expect(killed.length).toBeGreaterThanOrEqual(points.length - 2);
      for (const { found } of ends) expect(found).toEqual(untouched);
    },
  );

  it("control: migrations outside transactions are seen to damage a folder", async () => {
    const points = await pointsOf("schema-3", 4, "careless");
    const ends = await atOnce(2, points, (point) => killAt("schema-3", point, "careless"));
    const broken = ends.filter(({ found }) => "error" in found);
    say(`control: ${broken.length} of ${ends.length} kills of a careless migration break it`);
    expect(broken.length).toBeGreaterThan(0);
  });
});

interface Point {
  readonly call: (typeof CALLS)[number];
  readonly when: number;
}

async function killAt(schema: OldSchema, { call, when }: Point, mode = "honest") {
  const home = newFolder(schema);
  const inject = `inject=${call}:signal=SIGKILL:when=${when}`;
  const strace = ["-o", "/dev/null", "-e", `trace=${call}`, "-e", inject];
  const { signal, code, stderr } = await traceWorker(strace, "opening", [home, mode]);
  if (signal !== "SIGKILL" && code !== 0) throw new Error(`the worker failed by itself: ${stderr}`);
  const found = await lookAt(home).catch((error: unknown) => ({ error }));
  rmSync(home, { recursive: true });
  return { killed: signal === "SIGKILL", found };
}

/** This many writes of each kind, spread evenly over an undisturbed run. */
async function pointsOf(schema: OldSchema, most: number, mode = "honest"): Promise<Point[]> {
  const home = newFolder(schema);
  const trace = join(root, `trace-${schema}-${mode}`);
  await traceWorker(["-y", "-o", trace, "-e", `trace=${CALLS.join()}`], "opening", [home, mode]);
  const lines = readFileSync(trace, "utf8").split("\n");
  return CALLS.flatMap((call) => {
    const made = lines.filter((line) => line.includes(`${call}(`) && line.includes(home)).length;
    const count = Math.min(made, most);
    const places = Array.from({ length: count }, (_, n) => Math.floor((n * made) / count) + 1);
    return [...new Set([...places, ...(made > 0 ? [made] : [])])].map((when) => ({ call, when }));
  });
}

/** Everything in the folder after the migration. */
async function lookAt(home: string) {
  const store = await openSqliteStore({ folder: home, isAlive: () => false });
  try {
    const { findings } = await createMaintenance(store).verify();
    const damage = findings.filter(({ kind }) => kind === "damage");
    return { damage, sessions: await readSessions(store), schema: dumpSchema(home) };
  } finally {
    await store.close();
  }
}

async function readSessions(store: StreamStore) {
  const query = { kind: "session", owner: null, filter: {}, limit: 99 } as const;
  const { streams } = await store.list(query);
  return Promise.all(
    streams.map(async (stream) => ({
      stream,
      events: await readEvents(store, stream.id, { after: 0, limit: 999 }),
      turns: await readRows(store, stream.id, { kind: "turn" }),
    })),
  );
}

let made = 0;

function newFolder(schema: OldSchema): string {
  made += 1;
  const home = join(root, `home-${made}`);
  mkdirSync(home, { mode: 0o700 });
  writeOldFolder(home, schema);
  return home;
}
