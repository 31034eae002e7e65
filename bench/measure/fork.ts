import assert from "node:assert/strict";
import type { OpenContender } from "../contender.ts";
import { type Entrant, eachMs, elapsedMs, type Lab, withEntrants } from "../lab.ts";
import { type ForkSize, forkSizes, median } from "../measurements.ts";
import { turnText } from "../turn-text.ts";
import { appendTurns, settlingTurns, turnTexts } from "../turns.ts";

const toleratedMs = 100;

/**
 * P5: forks against appends of the same store, so contenders need not alternate; a contender that copies 200 MB per
 * fork would only disturb the next one. For the same reason raw comes last.
 */
export async function measureFork(lab: Lab): Promise<void> {
  for (const contender of lab.contenders.toReversed()) {
    await withEntrants(lab, [contender], async ([entrant]) => {
      if (!entrant) return;
      const { store } = entrant;
      for (const size of forkSizes) {
        await store.createSession(`parent-${size}`, "writer");
        await store.seedTurns(`parent-${size}`, turnTexts(size));
        await checkFork(entrant, size);
      }
      await store.createSession("other", "writer");
      await appendTurns(store, "other", settlingTurns);
      await forkInRounds(lab, entrant);
    });
  }
}

async function forkInRounds(lab: Lab, { store, record }: Entrant): Promise<void> {
  const { rounds, calls } = lab.scale.fork;
  const tooSlow = new Set<ForkSize>();
  for (let round = 0; round < rounds; round++) {
    const appends = await eachMs(calls, (call) => store.appendTurn("other", turnText(call)));
    record("fork_append_ms", median(appends));
    for (const size of forkSizes) {
      // One sample is enough for a fork that is hundreds of times over its bar.
      if (tooSlow.has(size)) continue;
      const first = await elapsedMs(() => fork(store, size, `first-${round}`));
      if (first > toleratedMs) tooSlow.add(size);
      const times = first > toleratedMs ? 1 : calls;
      const tip = await eachMs(times, (call) => fork(store, size, `tip-${round}-${call}`));
      const any = await eachMs(times, (call) =>
        fork(store, size, `any-${round}-${call}`, anySeq(size, round * calls + call)),
      );
      record(`fork_tip_ms_${size}`, median(tip));
      record(`fork_any_ms_${size}`, median(any));
    }
  }
}

function fork(store: OpenContender, size: ForkSize, child: string, atTurn?: number): Promise<void> {
  return store.fork(`parent-${size}`, `${child}-of-${size}`, atTurn);
}

/** Spread over the whole session, never at a round number for which a store may keep a head. */
function anySeq(size: ForkSize, call: number): number {
  return 1 + ((call * 7919 + size / 2 + 13) % (size - 1));
}

async function checkFork({ name, store }: Entrant, size: ForkSize): Promise<void> {
  const at = Math.min(size - 1, 437);
  await fork(store, size, "checked", at);
  await store.appendTurn(`checked-of-${size}`, "the child's own turn");
  const { turnCount, turns } = await store.resume(`checked-of-${size}`);
  assert.equal(turnCount, at + 1, `${name} forks a wrong head`);
  assert.equal(turns.at(-1), "the child's own turn", `${name} forks without appending`);
  assert.equal(turns.at(-2), turnText(at - 1), `${name} forks without its parent's turns`);
}
