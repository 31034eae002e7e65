import { chmodSync, copyFileSync, existsSync, realpathSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { Acknowledgement } from "../crash/acknowledgements.ts";
import { findLosses } from "../crash/find-losses.ts";
import { sampleSize } from "../crash/sample-size.ts";
import { say } from "../crash/say.ts";
import { temporaryFolder } from "../crash/temporary-folder.ts";
import { adoptPostgres, createPostgres } from "../postgres/postgres-server.ts";
import {
  chooseCuts,
  cutPower,
  findMissed,
  type RecordedRun,
  record,
  writeTogether,
} from "./cut-power.ts";
import { recorderProblem, recording } from "./recorder.ts";

/** The server runs as another user, who may write the notes. */
const root = realpathSync(temporaryFolder());
chmodSync(root, 0o711);
afterEach(() => vi.unstubAllEnvs());

const DURABLE = { fsync: "on", full_page_writes: "on", checkpoint_timeout: "30s" };
const LIMIT_MS = 60 * 60_000;
/** Each disk takes seconds, so `npm test` has none of them. */
const skipped =
  recorderProblem ?? (sampleSize({ full: 1, sample: 0 }) ? null : "npm run test:crash runs this");

/** PostgreSQL writes these through buffers of the C library, which cannot be recorded, and makes them again. */
const REBUILT = /pg_internal\.init|^log$|pg_stat/;
const isWal = (name: string) => /^[0-9A-F]{24}$/.test(name);

describe("a power cut while several programs write to PostgreSQL", () => {
  it(
    "loses nothing that was acknowledged, at whichever place it happens",
    async (context) => {
      if (skipped !== null) return context.skip(skipped);
      const run = await recordServer("honest");
      expect(findMissed(run).filter((path) => !REBUILT.test(path))).toEqual([]);
      const trials = chooseCuts(run, 20, 3);
      const lost = await cutPower(run, trials, join(root, "disk"), look);
      say(`${trials.length} disks after a power cut on PostgreSQL: ${lost.length} with losses`);
      expect(lost).toEqual([]);
    },
    LIMIT_MS,
  );

  it(
    "control: losses are found if the disk ignores the syncs of the write-ahead log",
    async (context) => {
      if (skipped !== null) return context.skip(skipped);
      const run = await recordServer("unsynced");
      const trials = chooseCuts(run, 3, 4).filter(({ contents }) => contents === "none");
      const lost = await cutPower(run, trials, join(root, "disk"), look, isWal);
      expect(lost.length).toBeGreaterThan(0);
    },
    LIMIT_MS,
  );
});

async function recordServer(name: string): Promise<RecordedRun> {
  const server = await createPostgres(DURABLE);
  const place = { root: realpathSync(server.folder), notes: join(root, `notes-${name}`) };
  writeFileSync(place.notes, "");
  chmodSync(place.notes, 0o666);
  const library = join(root, "recorder.so");
  if (!existsSync(library)) copyFileSync(recording(place).LD_PRELOAD ?? "", library);
  const env = { ...recording(place), LD_PRELOAD: library };
  return record(place, async () => {
    for (const [key, value] of Object.entries(env)) vi.stubEnv(key, value);
    await server.start();
    vi.unstubAllEnvs();
    const address = { BELAY_DATABASE_URL: server.urlOf("postgres"), LD_PRELOAD: library };
    await writeTogether(place, address, 3);
    await server.stop("immediate");
  });
}

/** A store that cannot be opened has lost everything. */
async function look(
  home: string,
  promises: readonly Acknowledgement[],
): Promise<readonly string[]> {
  const server = await adoptPostgres(dirname(home));
  try {
    await server.start();
    vi.stubEnv("BELAY_DATABASE_URL", server.urlOf("postgres"));
    return (await findLosses(home, promises)).problems;
  } catch (error) {
    return [String(error)];
  } finally {
    vi.unstubAllEnvs();
    await server.remove();
  }
}
