import assert from "node:assert/strict";
import { ORDERS, wordFor } from "./model/plan-reply.ts";
import type { Answer, Trial } from "./trial.ts";

const FIRST = wordFor("alpha");
const SECOND = wordFor("bravo");

/**
 * A session that goes to another agent, which knows a fact from before, and back to the first: that one opens its own
 * memory again, and knows what it missed.
 */
export async function handOnAndBack(trial: Trial, to: string): Promise<string> {
  await trial.open();
  try {
    expectKnown(await trial.say(`Keep ${FIRST} in mind.\n${ORDERS.answer}`), FIRST);
    await trial.belay.call("handoff", { id: trial.id, to });
    expectKnown(await trial.say(`Keep ${SECOND} in mind.\n${ORDERS.answer}`), FIRST, SECOND);
    const there = await trial.opening();
    await trial.belay.call("handoff", { id: trial.id, to: trial.agent });
    expectKnown(await trial.say(ORDERS.answer), FIRST, SECOND);
    const back = await trial.opening();
    assert.ok(["resume", "load"].includes(back.way), `it came back by ${back.way}`);
    const { turns } = await trial.belay.call("turns", { id: trial.id });
    assert.deepEqual(
      turns.map(({ agent_name }) => agent_name),
      [trial.agent, to, trial.agent],
    );
    return `there by ${there.told}; back by ${back.told}`;
  } finally {
    await trial.close();
  }
}

function expectKnown({ outcome, text }: Answer, ...words: readonly string[]): void {
  assert.equal(outcome, "completed", text);
  for (const word of words) assert.ok(text.includes(word), `${word} is not in: ${text}`);
}
