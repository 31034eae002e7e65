import assert from "node:assert/strict";
import { query } from "../../test/postgres/scene-databases.ts";
import { eachMs } from "../lab.ts";
import { median } from "../measurements.ts";
import { filterOf, newestSeeded, type SeededSessions } from "../seeded-sessions.ts";
import { turnText } from "../turn-text.ts";
import { openBelay } from "./belay-postgres.ts";
import type { Figure } from "./figures.ts";
import { type PostgresLab, withDatabase } from "./postgres-lab.ts";
import { seedSessions } from "./seed-sessions.ts";

const ROUNDS = 9;
const CALLS = 20;
const TEN_MILLION: SeededSessions = { count: 10_000_000, agents: 23 };

/** Ten million plain sessions: takes half an hour and 35 GB. */
export function measureMany(lab: PostgresLab): Promise<Figure[]> {
  return withDatabase(lab, "many", async (url) => {
    const report = (done: number) => {
      if (done % 1_000_000 === 0) lab.progress(`  ${done} sessions`);
    };
    await seedSessions(url, TEN_MILLION, report);
    return measureAt(url, TEN_MILLION);
  });
}

/** Each call uses sessions that no other call has used. */
export async function measureAt(url: string, seeded: SeededSessions): Promise<Figure[]> {
  const [size] = (await query(url, SIZES)).rows;
  const perSession = (bytes: string) => [Number(bytes) / seeded.count];
  const belay = await openBelay(url);
  try {
    for (const call of [5, 77]) {
      const filter = filterOf(call, seeded);
      assert.deepEqual(await belay.list(filter), newestSeeded(seeded, filter));
    }
    let nth = 0;
    const next = () => {
      nth += 1;
      return `session-${String((nth * 7_919_993) % seeded.count).padStart(8, "0")}`;
    };
    const timed = async (work: () => Promise<unknown>) => {
      const rounds: number[] = [];
      for (let round = 0; round < ROUNDS; round++) rounds.push(median(await eachMs(CALLS, work)));
      return rounds;
    };
    const unit = "milliseconds" as const;
    const list = await timed(() => belay.list(filterOf(nth++, seeded)));
    const open = await timed(() => belay.resume(next()));
    const append = await timed(() =>
      belay.appendTurn(`session-${active(seeded, nth++)}`, turnText(nth)),
    );
    const warm = await timed(() =>
      belay.appendTurn(`session-${active(seeded, 1)}`, turnText(nth++)),
    );
    const fork = await timed(() => belay.fork(next(), `fork-${nth}`));
    return [
      { what: "disk per session", unit: "kilobytes", own: perSession(size.all) },
      { what: "of it rows of sessions", unit: "kilobytes", own: perSession(size.streams) },
      { what: "of it events", unit: "kilobytes", own: perSession(size.events) },
      { what: "of it indexes", unit: "kilobytes", own: perSession(size.indexes) },
      { what: "50 newest by status and agent", unit, own: list },
      { what: "open a session for the first time", unit, own: open },
      { what: "append to a session for the first time", unit, own: append },
      { what: "append to one session", unit, own: warm },
      { what: "fork a session for the first time", unit, own: fork },
    ];
  } finally {
    await belay.close();
  }
}

/** The key of an active session: statuses come in turn, each for as many sessions as there are agents. */
function active({ agents, count }: SeededSessions, nth: number): string {
  const period = 7 * agents;
  const block = (nth * 48_611) % Math.floor(count / period);
  return String(block * period + agents).padStart(8, "0");
}

const SIZES = `SELECT pg_database_size(current_database()) AS all, pg_table_size('belay.streams') AS streams,
  pg_table_size('belay.events') AS events,
  pg_indexes_size('belay.streams') + pg_indexes_size('belay.events') AS indexes`;
