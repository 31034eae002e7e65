import { join } from "node:path";
import { expect, it } from "vitest";
import type { Belay } from "../../src/index.ts";
import { openBelay } from "../../src/index.ts";
import { sampleSize } from "./sample-size.ts";
import { say } from "./say.ts";
import { temporaryFolder } from "./temporary-folder.ts";

const TURNS = sampleSize({ full: 10_000, sample: 1_000 });
const TEXT = "word ".repeat(100);
const root = temporaryFolder();

it("merge and comparison of long branches take bounded time and memory", async () => {
  await using belay = await openBelay({ home: join(root, "data"), durability: "process" });
  await belay.sessions.create({ agent_name: "a", session_id: "origin" });
  await belay.sessions.fork({ id: "origin", session_id: "branch" });
  await record(belay, "origin");
  await record(belay, "branch");
  const few = await measure(() =>
    belay.sessions.compare({ id: "origin", with: "branch", limit: 1 }),
  );
  const first = await measure(() => belay.sessions.compare({ id: "origin", with: "branch" }));
  const last = await measure(() =>
    belay.sessions.compare({ id: "origin", with: "branch", after: TURNS - 20 }),
  );
  expect(last.answer.turns.at(-1)?.a?.input).toBe(`origin ${TURNS - 1}`);
  expect(last.answer.next_cursor).toBeNull();
  const merged = await measure(() => belay.sessions.merge({ id: "branch" }));
  expect(merged.answer.merge).toMatchObject({ turns: TURNS, added: true });
  const again = await measure(() => belay.sessions.merge({ id: "branch" }));
  expect(again.answer.merge.added).toBe(false);
  const told = Object.entries({ few, first, last, merged, again });
  say(
    `${TURNS} turns on each side: ${told
      .map(([name, { ms, mb }]) => `${name} ${ms.toFixed(0)} ms, ${mb.toFixed(1)} MB`)
      .join("; ")}`,
  );
  for (const { mb } of [first, last, merged]) expect(mb).toBeLessThan(64);
  for (const { ms } of [first, last, merged]) expect(ms).toBeLessThan(20_000);
});

async function record(belay: Belay, id: string): Promise<void> {
  for (let from = 0; from < TURNS; from += 500) {
    const some = Array.from({ length: Math.min(500, TURNS - from) }, (_, nth) => from + nth);
    await Promise.all(
      some.map((nth) => belay.turns.record({ id, input: `${id} ${nth}`, output: TEXT })),
    );
  }
}

/** How long something takes, and how much more is held while its answer is. */
async function measure<T>(work: () => Promise<T>) {
  globalThis.gc?.();
  const before = process.memoryUsage().heapUsed;
  const begun = performance.now();
  const answer = await work();
  const ms = performance.now() - begun;
  return { answer, ms, mb: (process.memoryUsage().heapUsed - before) / 1024 / 1024 };
}
