import assert from "node:assert/strict";
import { alternate, eachMs, elapsedMs, type Lab, withEntrants } from "../lab.ts";
import { median } from "../measurements.ts";
import { countFilters, filterOf, newestSeeded, seededSessions } from "../seeded-sessions.ts";

/** Each list is read this often before anything counts: Belay keeps a head in memory from the second time on. */
const WARMING = 3;

/** P6: the 50 newest sessions of one status and one agent, each call with another pair. */
export async function measureList(lab: Lab): Promise<void> {
  const { rounds, calls, sessions } = lab.scale.list;
  const seeded = { count: sessions, agents: 23 };
  await withEntrants(lab, lab.contenders, async (entrants) => {
    for (const { name, store } of entrants) {
      const ms = await elapsedMs(() => store.seedSessions(seededSessions(seeded)));
      lab.progress(`  ${name}: ${sessions} sessions seeded in ${(ms / 1000).toFixed(1)} s`);
      const filter = filterOf(5, seeded);
      const listed = await store.list(filter);
      assert.deepEqual(listed, newestSeeded(seeded, filter), `${name} lists other sessions`);
      for (let call = 0; call < WARMING * countFilters(seeded); call++) {
        await store.list(filterOf(call, seeded));
      }
    }
    await alternate(entrants, rounds, async ({ store, record }, round) => {
      const times = await eachMs(calls, (call) =>
        store.list(filterOf(round * calls + call, seeded)),
      );
      record("list_ms", median(times));
    });
  });
}
