import type { Contender } from "../contender.ts";
import { type Entrant, elapsedMs, type Lab, withEntrants } from "../lab.ts";
import { appendTurns, settlingTurns, turnTexts } from "../turns.ts";

const grown = 9_800;
const measured = 200;
const slice = 20;

/**
 * P3: the first 200 turns of a session in a young store against turns 9,800 and later in an old one. They alternate in
 * slices, because two seconds of the same disk minutes apart are not comparable. Later rounds measure later turns of
 * the same old session, which only makes the bar harder.
 */
export async function measureGrowth(lab: Lab): Promise<void> {
  for (const contender of lab.contenders) {
    await withEntrants(lab, [contender], async ([old]) => {
      if (!old) return;
      await old.store.createSession("grown", "writer");
      await old.store.seedTurns("grown", turnTexts(grown - settlingTurns));
      await appendTurns(old.store, "grown", settlingTurns);
      const { rounds } = lab.scale.growth;
      for (let round = 0; round < rounds; round++) await compareWithYoung(lab, contender, old);
      // At the end, because the checkpoint leaves a log file that commits have to grow again.
      const turns = grown + rounds * measured;
      old.record("bytes_per_turn", (await old.store.diskBytes()) / turns);
    });
  }
}

async function compareWithYoung(lab: Lab, contender: Contender, old: Entrant): Promise<void> {
  await withEntrants(lab, [contender], async ([young]) => {
    if (!young) return;
    await young.store.createSession("settling", "writer");
    await appendTurns(young.store, "settling", settlingTurns);
    await young.store.createSession("young", "writer");
    let youngMs = 0;
    let oldMs = 0;
    for (let turn = 0; turn < measured; turn += slice) {
      youngMs += await elapsedMs(() => appendTurns(young.store, "young", slice));
      oldMs += await elapsedMs(() => appendTurns(old.store, "grown", slice));
    }
    old.record("append_rate_first_200", (measured * 1000) / youngMs);
    old.record("append_rate_from_9800", (measured * 1000) / oldMs);
  });
}
