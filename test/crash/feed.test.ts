import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { type Belay, openBelay } from "../../src/index.ts";
import { startWorker } from "./run-worker.ts";
import { say } from "./say.ts";
import { temporaryFolder } from "./temporary-folder.ts";

const home = join(temporaryFolder(), "home");
const id = "followed-session";
const Said = z.object({ version: z.number(), at: z.string() });
let belay: Belay;

beforeAll(async () => {
  belay = await openBelay({ home });
  await belay.sessions.create({ agent_name: "worker", session_id: id });
  await belay.turns.record({ id, input: "the first", output: "" });
});
afterAll(() => belay.close());

describe("a subscriber", () => {
  it("gets each event of another process once, in order, within 50 ms", async () => {
    const { missed, isInOrder, median, longest } = await measure(follow, 200, 1);
    say(
      `feed: 200 appends of another process seen after ${median.toFixed(1)} ms (median), ` +
        `${longest.toFixed(1)} ms (longest), ${missed} missed`,
    );
    expect({ missed, isInOrder }).toEqual({ missed: 0, isInOrder: true });
    expect(median).toBeLessThan(50);
  });

  it("gets each event once while three processes write as fast as they can", async () => {
    const neighbours = await Promise.all(["anna", "ben", "cleo"].map(start));
    const subscriber = follow();
    const { version: before } = await belay.sessions.get({ id });
    const last = subscriber.sees(before + 300);
    await Promise.all(neighbours.map((neighbour) => append(neighbour, 100)));
    await last;
    await subscriber.stop();
    for (const neighbour of neighbours) neighbour.disconnect();
    say(`feed: ${subscriber.seen.length - before} of 300 appends of three processes seen`);
    expect(subscriber.seen).toEqual(Array.from({ length: before + 300 }, (_, n) => n + 1));
  });

  it("control: a subscriber that polls for the newest event is late and misses some", async () => {
    const { missed, median } = await measure(glance, 8, 2);
    say(`control: an onlooker was ${median.toFixed(0)} ms late (median) and missed ${missed}`);
    expect(missed).toBeGreaterThan(0);
    expect(median).toBeGreaterThanOrEqual(50);
  });
});

interface Subscriber {
  readonly seen: readonly number[];
  /** Resolves with the time at which an event came. */
  sees(seq: number): Promise<bigint>;
  stop(): Promise<void>;
}

/** A neighbour appends this many at a time, each time after the previous ones were seen: always just after a poll. */
async function measure(subscribe: () => Subscriber, rounds: number, each: number) {
  const neighbour = await start("neighbour");
  const { version: before } = await belay.sessions.get({ id });
  const subscriber = subscribe();
  const delays: number[] = [];
  for (let n = 1; n <= rounds; n += 1) {
    const arrives = subscriber.sees(before + n * each);
    const { at } = await append(neighbour, each);
    delays.push(Math.max(0, Number((await arrives) - BigInt(at)) / 1e6));
  }
  await subscriber.stop();
  neighbour.disconnect();
  delays.sort((a, b) => a - b);
  const { seen } = subscriber;
  const expected = Array.from({ length: rounds * each }, (_, n) => before + n + 1);
  return {
    missed: expected.filter((seq) => !seen.includes(seq)).length,
    isInOrder: seen.every((seq, at) => at === 0 || seq > (seen[at - 1] ?? 0)),
    median: delays[Math.floor(delays.length / 2)] ?? Infinity,
    longest: delays.at(-1) ?? Infinity,
  };
}

function follow(): Subscriber {
  const ending = new AbortController();
  const { seen, see, sees } = lookOut();
  const following = (async () => {
    for await (const { seq } of belay.follow(id, 0, ending.signal)) see(seq);
  })();
  return {
    seen,
    sees,
    stop() {
      ending.abort();
      return following;
    },
  };
}

/** Not a subscriber: the control. */
function glance(): Subscriber {
  const { seen, see, sees } = lookOut();
  const look = async () => see((await belay.sessions.get({ id })).version);
  const looking = setInterval(() => void look(), 150);
  return { seen, sees, stop: async () => clearInterval(looking) };
}

function lookOut() {
  const seen: number[] = [];
  const waiting = new Map<number, (at: bigint) => void>();
  return {
    seen,
    see(seq: number) {
      seen.push(seq);
      waiting.get(seq)?.(process.hrtime.bigint());
    },
    sees: (seq: number) => new Promise<bigint>((resolve) => waiting.set(seq, resolve)),
  };
}

async function start(name: string): Promise<ChildProcess> {
  const child = await startWorker("neighbour", [home, id, name]);
  await once(child, "message");
  return child;
}

async function append(neighbour: ChildProcess, count: number) {
  neighbour.send(count);
  const [said] = await once(neighbour, "message");
  return Said.parse(said);
}
