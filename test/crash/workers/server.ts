import { closeSync, fsyncSync, openSync, writeSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout } from "node:timers/promises";
import { openBelay } from "../../../src/index.ts";
import { reportBack, whenAllAreReady } from "./gate.ts";

interface Server {
  serve(): Promise<void>;
  close(): Promise<void>;
}

/** Works every 50 ms next to busy writers, and reports how long its event loop stood still. */
const [, , home = "", id = "", kind = "", seconds = ""] = process.argv;
const TICK = 5;
let promised = 0;

const servers: Readonly<Record<string, () => Server | Promise<Server>>> = {
  /** Appends and reads, like a server. */
  async belay() {
    const belay = await openBelay({ home });
    return {
      async serve() {
        const input = `server ${promised + 1}`;
        const { version } = await belay.turns.record({ id, input, output: "" });
        promised += 1;
        await belay.sessions.log({ id, after: version - 1, limit: 10 });
        await belay.sessions.list({ limit: 10 });
      },
      close: () => belay.close(),
    };
  },
  /** The machine's own share: no work at all. */
  bystander: () => ({ serve: async () => {}, close: async () => {} }),
  /** The disk's own share: as many bytes as a commit, written and synced. */
  fsync() {
    const file = openSync(join(home, "..", "probe"), "a");
    return {
      async serve() {
        writeSync(file, Buffer.alloc(5 * 16_384));
        fsyncSync(file);
      },
      close: async () => closeSync(file),
    };
  },
  /** The control: waits for its turn to write the way SQLite itself does. */
  waiting() {
    const database = new DatabaseSync(join(home, "belay.db"), { timeout: 10_000 });
    return {
      serve: async () => database.exec("BEGIN IMMEDIATE; ROLLBACK"),
      close: async () => database.close(),
    };
  },
};

const server = await servers[kind]?.();
await whenAllAreReady();
const stalls: number[] = [];
let last = performance.now();
const ticking = setInterval(() => {
  const now = performance.now();
  stalls.push(Math.max(0, now - last - TICK));
  last = now;
}, TICK);
const end = last + Number(seconds) * 1000;
while (last < end) {
  await server?.serve();
  await setTimeout(50);
}
clearInterval(ticking);
await server?.close();
stalls.sort((a, b) => a - b);
const p99 = stalls[Math.floor(stalls.length * 0.99)] ?? 0;
reportBack({ kind, promised, max: stalls.at(-1) ?? 0, p99 });
