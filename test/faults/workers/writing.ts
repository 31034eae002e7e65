import { appendFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { type Belay, BelayError, openBelay } from "../../../src/index.ts";
import { openFilesStore } from "../../../src/store/files/open-files-store.ts";
import { openAcknowledgements } from "../../crash/acknowledgements.ts";

/**
 * Writes turns to a session of its own and to one that others write to: this many, or for this many milliseconds and at
 * least until one was written. Reports the promises, and each refusal of a busy store. Any other error ends it.
 * The control "unlocked" writes to files without their lock.
 */
const [, , home = "", said = "", name = "", most = "", ms = "", mode = "honest"] = process.argv;
const BUSY = new Set(["store_busy", "storage_unreachable"]);
const acknowledge = openAcknowledgements(said);
const end = performance.now() + Number(ms);
const belay = await refusable("open", open);
let promises = 0;
for (let n = 1; n <= Number(most) && (promises === 0 || performance.now() < end); n += 1) {
  const [id, input] = [n % 2 === 0 ? "shared" : name, `${name} ${n}`];
  const turn = await refusable(input, () => belay?.turns.record({ id, input, output: "done" }));
  if (turn) {
    acknowledge({ session: id, version: turn.version, text: input });
    promises += 1;
  }
  // A long pause needs no more turns than a short one.
  await sleep(5 + Number(ms) / 2000);
}
await belay?.close();

async function open(): Promise<Belay> {
  if (mode === "honest") return openBelay({ home });
  const lock = () => ({ acquire: () => true, release: () => {}, close: () => {} });
  const store = await openFilesStore({ folder: home, isAlive: () => true, lock });
  return openBelay({ home, store });
}

/** Undefined if it was refused; the store is opened again until it is open. */
async function refusable<T extends Belay | { readonly version: number }>(
  text: string,
  work: () => Promise<T> | undefined,
): Promise<T | undefined> {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof BelayError) || !BUSY.has(error.code)) {
        if (mode === "honest") throw error;
        process.exit(1);
      }
      appendFileSync(`${said}-refused`, `${JSON.stringify({ text, code: error.code })}\n`);
      if (text !== "open") return undefined;
    }
  }
}
