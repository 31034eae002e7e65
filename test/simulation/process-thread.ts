import { registerHooks } from "node:module";
import { parentPort } from "node:worker_threads";
import { thisProcess } from "./this-process.ts";

/* A thread that simulates one process after another. */

const turnOver = globalThis.setImmediate;
const REPLACED: Readonly<Record<string, string>> = {
  "node:fs": new URL("./replaced/fs.ts", import.meta.url).href,
  "node:crypto": new URL("./replaced/crypto.ts", import.meta.url).href,
  "node:timers/promises": new URL("./replaced/timers.ts", import.meta.url).href,
};
const SOURCES = new URL("../../src/", import.meta.url).href;

registerHooks({
  resolve(specifier, context, next) {
    const url = REPLACED[specifier];
    if (url === undefined || !context.parentURL?.startsWith(SOURCES))
      return next(specifier, context);
    return { url, shortCircuit: true };
  },
});
const { runProgram } = await import("./run-program.ts");
replaceGlobals();
// A process that was killed leaves promises that nobody waits for.
process.on("unhandledRejection", () => {});
parentPort?.postMessage("ready");

for (let life = thisProcess.next(); life; life = thisProcess.next()) {
  let isDone = false;
  runProgram(life).then(
    () => {
      isDone = true;
    },
    (error: unknown) => {
      isDone = true;
      if (!thisProcess.isDead)
        thisProcess.note({ problem: `the program failed: ${toText(error)}` });
    },
  );
  while (!isDone && !thisProcess.isDead) {
    // Afterwards all microtasks have run.
    await new Promise((resolve) => void turnOver(resolve));
    if (isDone || thisProcess.isDead) break;
    try {
      thisProcess.runTimer();
    } catch (error) {
      if (!thisProcess.isDead) throw error;
    }
  }
  // What is left of a killed process ends before the next one starts.
  await new Promise((resolve) => void turnOver(resolve));
}

function replaceGlobals(): void {
  const started = 1_700_000_000_000;
  Object.assign(Date, { now: () => started + thisProcess.now });
  Object.assign(performance, { now: () => thisProcess.now });
  Object.assign(Math, { random: () => thisProcess.random(2 ** 30) / 2 ** 30 });
  Object.assign(process.hrtime, {
    bigint: () => BigInt(Math.floor(thisProcess.now * 1_000_000)),
  });
  const timer = (id: number) => ({ id, ref() {}, unref: () => ({ id }) });
  Object.assign(globalThis, {
    setTimeout: (run: () => void, ms = 0) => timer(thisProcess.addTimer(ms, run)),
    setImmediate: (run: () => void) => timer(thisProcess.addTimer(0, run)),
    setInterval: (run: () => void, ms = 0) => timer(thisProcess.addTimer(ms, run, ms)),
    clearTimeout: (timer?: { id: number }) => timer && thisProcess.removeTimer(timer.id),
    clearInterval: (timer?: { id: number }) => timer && thisProcess.removeTimer(timer.id),
  });
}

function toText(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
