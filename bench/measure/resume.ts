import assert from "node:assert/strict";
import { resumedTurns } from "../contender.ts";
import { alternate, eachMs, type Lab } from "../lab.ts";
import { median, resumeSizes } from "../measurements.ts";
import { withFormat } from "../stored-format.ts";
import { turnText } from "../turn-text.ts";
import { turnTexts } from "../turns.ts";

const WARMING = 400;

/** P4: head and last 50 turns of a short, a medium and a long session in one store. */
export async function measureResume(lab: Lab): Promise<void> {
  const { rounds, calls } = lab.scale.resume;
  await withFormat(lab, async (entrants) => {
    for (const { name, store } of entrants) {
      for (const size of resumeSizes) {
        await store.createSession(`turns-${size}`, "writer");
        await store.seedTurns(`turns-${size}`, turnTexts(size));
        const { turnCount, turns } = await store.resume(`turns-${size}`);
        assert.equal(turnCount, size, `${name} resumes a wrong head`);
        assert.equal(turns.length, resumedTurns, `${name} resumes too few turns`);
        assert.equal(turns.at(-1), turnText(size - 1), `${name} resumes a wrong last turn`);
      }
      // The engine has optimized the code of each contender before anything counts.
      for (let call = 0; call < WARMING; call++) {
        for (const size of resumeSizes) await store.resume(`turns-${size}`);
      }
    }
    await alternate(entrants, rounds, async ({ store, record }) => {
      for (const size of resumeSizes) {
        const times = await eachMs(calls, () => store.resume(`turns-${size}`));
        record(`resume_ms_${size}`, median(times));
      }
    });
  });
}
