/**
 * `node bench/head-cache.ts`: what a cache of heads in Redis could save. A message that arrives at a node without the head
 * costs one more trip to the database; a cached head costs a trip to Redis, and one more after each write.
 */
import { setTimeout as pause } from "node:timers/promises";
import { begin, idOf, keep, write } from "../src/store/conformance/notebook.ts";
import { openPostgresStore } from "../src/store/postgres/open-postgres-store.ts";
import { RedisServer } from "../test/nodes/redis-server.ts";
import { createPostgres } from "../test/postgres/postgres-server.ts";

const ROUNDS = 2000;
const server = await createPostgres({ fsync: "on", full_page_writes: "on" });
await server.start();
const redis = await RedisServer.start();
const client = await redis.connect();
const open = () => openPostgresStore({ url: server.urlOf("postgres"), isAlive: () => true });
const [one, other] = [await open(), await open()];
const head = JSON.stringify({ text: "x".repeat(2000) });

async function measure(name: string, work: (n: number) => Promise<unknown>): Promise<void> {
  const times: number[] = [];
  for (let n = 0; n < ROUNDS; n += 1) {
    const start = performance.now();
    await work(n);
    times.push(performance.now() - start);
  }
  times.sort((a, b) => a - b);
  const at = (part: number) => (times[Math.floor(times.length * part)] ?? 0).toFixed(3);
  console.log(`${name.padEnd(46)} p50 ${at(0.5)} ms  p99 ${at(0.99)} ms`);
}

const A = idOf(1);
const line = { lines: ["y".repeat(500)] };
await keep(one, begin(A, line));
for (let round = 1; round <= 2; round += 1) {
  await measure("append on a warm head", () => keep(one, write(A, line)));
  await measure("append at the other node each time (cold head)", (n) =>
    keep(n % 2 ? one : other, write(A, line)),
  );
  await measure("Redis GET of a head of 2 KB", () => client.get("head"));
  await measure("Redis SET of a head of 2 KB", () => client.set("head", head));
}
await pause(10);
client.destroy();
redis.remove();
await Promise.all([one.close(), other.close()]);
await server.remove();
