import { realpathSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, afterEach, describe, expect, it, vi } from "vitest";
import { temporaryFolder } from "../crash/temporary-folder.ts";
import { createPostgres } from "../postgres/postgres-server.ts";
import { query } from "../postgres/scene-databases.ts";
import { LENGTHS_MS, pauseAll, pauses, skipUnlessPossible, WAYS } from "./pause-all.ts";

const root = realpathSync(temporaryFolder());
const server = await createPostgres();
await server.start();
afterEach(() => vi.unstubAllEnvs());
afterAll(() => server.remove());

describe("a writer to PostgreSQL", () => {
  it.for(WAYS)(
    "that is stopped between its commit and the answer loses, doubles and reorders nothing, $where",
    pauses,
    async ({ isApart }, context) => {
      skipUnlessPossible(context, isApart);
      // The anchor of the node is written after the commit, and before the answer.
      const codes = await pauseOn(`apart_${isApart}`, { stop: "W .log 8", isApart });
      expect(codes).toEqual([]);
    },
  );

  it(
    "whose process in the server is stopped with its locks does so neither",
    pauses,
    async (context) => {
      skipUnlessPossible(context, false);
      const codes = await pauseOn("backend", { stop: stopBackend, isApart: false });
      const typed = ["store_busy", "storage_unreachable"];
      expect(codes.filter((code) => !typed.includes(code))).toEqual([]);
    },
  );
});

interface Stopped {
  readonly stop: string | ((url: string) => Promise<() => void>);
  readonly isApart: boolean;
}

/** One after the other, each on a database of its own. */
async function pauseOn(name: string, { stop, isApart }: Stopped): Promise<string[]> {
  const codes: string[] = [];
  for (const ms of LENGTHS_MS) {
    const database = `${name}_${ms}`;
    await query(server.urlOf("postgres"), `CREATE DATABASE ${database}`);
    const url = server.urlOf(database);
    const own = typeof stop === "string" ? stop : () => stop(url);
    const trial = { stop: own, ms, isApart, isLocked: false };
    codes.push(...(await pauseAll(join(root, database), { BELAY_DATABASE_URL: url }, [trial])));
  }
  return codes;
}

/** Stops a process of the server that has the locks of a running write. Writes take longer from now on. */
async function stopBackend(url: string): Promise<() => void> {
  await query(url, SLOW_WRITES);
  for (;;) {
    for (const { pid } of (await query(url, WITH_LOCKS)).rows) {
      process.kill(pid, "SIGSTOP");
      const goOn = () => void process.kill(pid, "SIGCONT");
      if ((await query(url, WITH_LOCKS)).rows.some((row) => row.pid === pid)) return goOn;
      goOn();
    }
    await sleep(1);
  }
}

const SLOW_WRITES = `CREATE FUNCTION wait() RETURNS trigger LANGUAGE plpgsql AS
    'BEGIN PERFORM pg_sleep(0.05); RETURN NEW; END';
  CREATE TRIGGER slow BEFORE INSERT ON belay.events FOR EACH STATEMENT EXECUTE FUNCTION wait()`;
const WITH_LOCKS = `SELECT a.pid FROM pg_locks l JOIN pg_stat_activity a USING (pid)
  WHERE l.locktype = 'advisory' AND l.granted AND a.datname = current_database() AND a.query LIKE '%write_batch%'`;
