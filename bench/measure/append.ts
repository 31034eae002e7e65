import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import type { OpenContender } from "../contender.ts";
import { alternate, elapsedMs, type Lab } from "../lab.ts";
import { withFormat } from "../stored-format.ts";
import { turnText } from "../turn-text.ts";
import { appendTurns, warmingTurns } from "../turns.ts";

/** P1: one writer, one turn per commit, without and with an idempotency key of its own. */
export async function measureAppend(lab: Lab): Promise<void> {
  const { rounds, turns } = lab.scale.append;
  await withFormat(lab, async (entrants) => {
    for (const { store } of entrants) {
      await store.createSession("one-writer", "writer");
      await appendTurns(store, "one-writer", warmingTurns.oneWriter);
    }
    await alternate(entrants, rounds, async ({ store, record }) => {
      const ms = await elapsedMs(() => appendTurns(store, "one-writer", turns));
      record("append_rate", (turns * 1000) / ms);
      const keyedMs = store.appendKeyed && (await elapsedMs(() => appendKeyed(store, turns)));
      if (keyedMs) record("append_keyed_rate", (turns * 1000) / keyedMs);
    });
    for (const { name, store } of entrants) {
      const { turnCount } = await store.resume("one-writer");
      const times = store.appendKeyed ? 2 : 1;
      assert.equal(
        turnCount,
        warmingTurns.oneWriter + rounds * turns * times,
        `${name} lost turns`,
      );
    }
  });
}

async function appendKeyed(store: OpenContender, turns: number): Promise<void> {
  for (let turn = 0; turn < turns; turn++) {
    await store.appendKeyed?.("one-writer", turnText(turn), randomUUID());
  }
}
