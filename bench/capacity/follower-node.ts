import { createInterface } from "node:readline";
import { begin, idOf, keep, write } from "../../src/store/conformance/notebook.ts";
import { openPostgresStore } from "../../src/store/postgres/open-postgres-store.ts";
import { readEvents } from "../../src/store/read-streams.ts";
import type { StreamStore } from "../../src/store/stream-store.ts";

/**
 * One node: `node follower-node.ts URL write|follow FIRST COUNT`. It writes to these streams, or follows each of them as
 * a client does. For each line `MS RATE` it goes on for that time, at that many commits per second if it writes, and
 * prints the commits or reads and the milliseconds of processor time.
 */
const [url = "", role = "", first = "0", count = "0"] = process.argv.slice(2);

const store = await openPostgresStore({ url, isAlive: () => null });
const ids = Array.from({ length: Number(count) }, (_, nth) => idOf(Number(first) + nth));
let reads = 0;
if (role === "write") await Promise.all(ids.map((id) => keep(store, begin(id))));
else for (const id of ids) void follow(store, id).catch(() => {});
process.stdout.write("ready\n");

for await (const line of createInterface({ input: process.stdin })) {
  const [ms = 0, rate = 0] = line.split(" ").map(Number);
  const before = { reads, cpu: process.cpuUsage() };
  const commits = role === "write" ? await writeFor(ms, rate) : await rest(ms);
  const { user, system } = process.cpuUsage(before.cpu);
  const done = role === "write" ? commits : reads - before.reads;
  process.stdout.write(`${done} ${(user + system) / 1000}\n`);
}
await store.close();
process.exit();

async function writeFor(ms: number, rate: number): Promise<number> {
  const start = performance.now();
  const writing: Promise<unknown>[] = [];
  for (let due = 0; due < (ms / 1000) * rate; due += 1) {
    const wait = start + (due * 1000) / rate - performance.now();
    if (wait > 0) await rest(wait);
    writing.push(keep(store, write(ids[due % ids.length] ?? "", { lines: ["x".repeat(2000)] })));
  }
  await Promise.all(writing);
  return writing.length;
}

async function rest(ms: number): Promise<number> {
  await new Promise((resolve) => setTimeout(resolve, ms));
  return 0;
}

/** Reads as `watchSession` does: again after each call, except if the call passes a seq that it has. */
async function follow(from: StreamStore, id: string): Promise<void> {
  let changed = Promise.withResolvers<void>();
  let after = 0;
  let newest = Number.POSITIVE_INFINITY;
  from.watch((seq = Number.POSITIVE_INFINITY) => {
    newest = Math.max(newest, seq);
    changed.resolve();
  }, id);
  for (;;) {
    const upTo = newest;
    newest = 0;
    const events = await readEvents(from, id, { after, limit: 50, bytes: 32 * 1024 });
    reads += 1;
    after = events.at(-1)?.seq ?? after;
    if (events.length > 0) newest = Math.max(newest, upTo);
    while (newest <= after) {
      await changed.promise;
      changed = Promise.withResolvers();
    }
  }
}
