import assert from "node:assert/strict";
import { sessionStatuses } from "../contender.ts";
import { eachMs, elapsedMs } from "../lab.ts";
import { median } from "../measurements.ts";
import { filterOf, newestSeeded } from "../seeded-sessions.ts";
import { openBelay } from "./belay-postgres.ts";
import type { Figure } from "./figures.ts";
import { type PostgresLab, withDatabase } from "./postgres-lab.ts";
import { RawPostgres } from "./raw-postgres.ts";
import { seedSessions } from "./seed-sessions.ts";
import { interleave, series } from "./series.ts";

/** The 50 newest sessions of one status and one agent, each call with another pair. */
export function measureList(lab: PostgresLab): Promise<Figure[]> {
  const { rounds, calls, sessions } = lab.scale.list;
  const seeded = { count: sessions, agents: 23 };
  return withDatabase(lab, "list", async (url) => {
    const raw = await RawPostgres.open(url);
    const ms = await elapsedMs(async () => {
      await raw.seedSessions(sessions, seeded.agents, sessionStatuses);
      await seedSessions(url, seeded);
    });
    lab.progress(`  ${sessions} sessions seeded twice in ${(ms / 1000).toFixed(1)} s`);
    const belay = await openBelay(url);
    try {
      const filter = filterOf(5, seeded);
      const expected = newestSeeded(seeded, filter);
      assert.deepEqual(await belay.list(filter), expected);
      const keys = expected.map(({ session }) => session);
      assert.deepEqual(await raw.list(filter), keys);
      let call = 0;
      const timed = (list: typeof belay.list | typeof raw.list) =>
        series(async () => {
          return median(
            await eachMs(calls, () => {
              call += 1;
              return list(filterOf(call, seeded));
            }),
          );
        });
      const own = timed(belay.list);
      const base = timed((wanted) => raw.list(wanted));
      await interleave(rounds, [own, base]);
      const what = `50 newest of ${sessions.toLocaleString("en")} sessions by status and agent (raw: the query with its own index)`;
      const target = { atMost: 3 };
      return [{ what, unit: "milliseconds", own: own.rounds, base: base.rounds, target }];
    } finally {
      await belay.close();
      await raw.close();
    }
  });
}
