import assert from "node:assert/strict";
import { alternate, type Entrant, elapsedMs, type Lab } from "../lab.ts";
import type { Metric } from "../measurements.ts";
import { withFormat } from "../stored-format.ts";
import { turnText } from "../turn-text.ts";
import { warmingTurns } from "../turns.ts";

const callers = 64;
const everyoneOnOne = Array.from({ length: callers }, () => "shared");
const eachOnTheirOwn = Array.from({ length: callers }, (_, caller) => `own-${caller}`);

/** P2: 64 callers in one process, each waiting for its own acknowledgement before its next append. */
export async function measureConcurrentAppend(lab: Lab): Promise<void> {
  const { rounds, turnsEach } = lab.scale.concurrent;
  await withFormat(lab, async (entrants) => {
    for (const { store } of entrants) {
      for (const session of ["shared", ...eachOnTheirOwn]) {
        await store.createSession(session, "writer");
      }
    }
    const warming = Math.ceil(warmingTurns.manyWriters / (2 * callers * turnsEach));
    await alternate(entrants, warming, async ({ store }, round) => {
      for (const sessions of [everyoneOnOne, eachOnTheirOwn]) {
        await store.appendConcurrently(sessions, turnsEach, turnText(round));
      }
    });
    // One after the other: in rounds with both, SQLite's checkpoint would fall into the same half again and again.
    await alternate(entrants, rounds, (entrant) =>
      run(entrant, everyoneOnOne, turnsEach, "concurrent_rate_one_session"),
    );
    await alternate(entrants, rounds, (entrant) =>
      run(entrant, eachOnTheirOwn, turnsEach, "concurrent_rate_64_sessions"),
    );
    for (const { name, store } of entrants) {
      const shared = await store.resume("shared");
      const turns = (warming + rounds) * turnsEach;
      assert.equal(shared.turnCount, turns * callers, name);
      const own = await store.resume("own-63");
      assert.equal(own.turnCount, turns, name);
    }
  });
}

async function run(
  { store, record }: Entrant,
  sessions: readonly string[],
  turnsEach: number,
  metric: Metric,
): Promise<void> {
  const text = turnText(turnsEach);
  const ms = await elapsedMs(() => store.appendConcurrently(sessions, turnsEach, text));
  record(metric, (sessions.length * turnsEach * 1000) / ms);
}
