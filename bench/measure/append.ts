import assert from "node:assert/strict";
import { alternate, elapsedMs, type Lab, withEntrants } from "../lab.ts";
import { storedFormat } from "../stored-format.ts";
import { appendTurns, settlingTurns } from "../turns.ts";

/** P1: one writer, one turn per commit. */
export async function measureAppend(lab: Lab): Promise<void> {
  const { rounds, turns } = lab.scale.append;
  await withEntrants(lab, [...lab.contenders, storedFormat], async (entrants) => {
    for (const { store } of entrants) {
      await store.createSession("one-writer", "writer");
      await appendTurns(store, "one-writer", settlingTurns);
    }
    await alternate(entrants, rounds, async ({ store, record }) => {
      const ms = await elapsedMs(() => appendTurns(store, "one-writer", turns));
      record("append_rate", (turns * 1000) / ms);
    });
    for (const { name, store } of entrants) {
      const { turnCount } = await store.resume("one-writer");
      assert.equal(turnCount, settlingTurns + rounds * turns, `${name} lost turns`);
    }
  });
}
