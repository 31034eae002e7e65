import { appendFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { type Belay, BelayError, openBelay } from "../../../src/index.ts";
import { openAcknowledgements } from "../../crash/acknowledgements.ts";

/**
 * Writes turns to a session of its own and to one that others write to: this many, or for this many milliseconds and at
 * least until one was written. Reports the promises, and each refusal with its code. Any other error ends it.
 */
const [, , home = "", said = "", name = "", most = "", ms = ""] = process.argv;
const acknowledge = openAcknowledgements(said);
const end = performance.now() + Number(ms);
const belay = await refusable("open", () => openBelay({ home }));
let promises = 0;
for (let n = 1; n <= Number(most) && (promises === 0 || performance.now() < end); n += 1) {
  const [id, input] = [n % 2 === 0 ? "shared" : name, `${name} ${n}`];
  const turn = await refusable(input, () => belay?.turns.record({ id, input, output: "done" }));
  if (turn) {
    acknowledge({ session: id, version: turn.version, text: input });
    promises += 1;
  }
  await sleep(5);
}
await belay?.close();

/** Undefined if it was refused; the store is opened again until it is open. */
async function refusable<T extends Belay | { readonly version: number }>(
  text: string,
  work: () => Promise<T> | undefined,
): Promise<T | undefined> {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof BelayError)) throw error;
      appendFileSync(`${said}-refused`, `${JSON.stringify({ text, code: error.code })}\n`);
      if (text !== "open") return undefined;
    }
  }
}
