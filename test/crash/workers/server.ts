import { closeSync, fsyncSync, openSync, writeSync } from "node:fs";
import { join } from "node:path";
import { openBelay } from "../../../src/index.ts";
import { reportBack, whenAllAreReady } from "./gate.ts";

/**
 * Does what a server does beside busy writers, and reports how long its event loop stood still: "belay" appends and reads
 * every 50 ms; "bystander" does not touch the store; "fsync" writes as many bytes to a file of its own and syncs it.
 */
const [, , home = "", id = "", kind = "", seconds = ""] = process.argv;
const TICK = 5;
const belay = kind === "belay" ? await openBelay({ home }) : undefined;
const file = kind === "fsync" ? openSync(join(home, "..", "probe"), "a") : undefined;
await whenAllAreReady();

const stalls: number[] = [];
let last = performance.now();
let promised = 0;
let isStopping = false;
const ticking = setInterval(() => {
  const now = performance.now();
  stalls.push(Math.max(0, now - last - TICK));
  last = now;
}, TICK);
const work = setInterval(() => !isStopping && void once(), 50);
await new Promise((resolve) => setTimeout(resolve, Number(seconds) * 1000));
isStopping = true;
clearInterval(work);
await belay?.close();
clearInterval(ticking);
if (file !== undefined) closeSync(file);
stalls.sort((a, b) => a - b);
reportBack({
  promised,
  max: stalls.at(-1) ?? 0,
  p99: stalls[Math.floor(stalls.length * 0.99)] ?? 0,
});

async function once(): Promise<void> {
  if (file !== undefined) {
    writeSync(file, Buffer.alloc(5 * 16_384));
    fsyncSync(file);
  }
  if (!belay) return;
  const { version } = await belay.record_turn({ id, input: `server ${promised + 1}`, output: "" });
  promised += 1;
  await belay.log({ id, after: version - 1, limit: 10 });
  await belay.list({ limit: 10 });
}
