import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { StreamWatchers } from "../../src/store/stream-watchers.ts";

const watchers = new StreamWatchers();
const calls: string[] = [];
const add = (name: string, stream?: string) => watchers.add(() => void calls.push(name), stream);

/** The watchers that were called, in order. */
async function called(): Promise<string[]> {
  await Promise.resolve();
  return calls.splice(0);
}

beforeEach(() => void vi.useFakeTimers({ toFake: ["performance"] }));
afterEach(() => {
  watchers.clear();
  calls.length = 0;
  vi.useRealTimers();
});

describe("watchers of streams", () => {
  it("are called for their stream, and those without a stream for every change", async () => {
    add("a", "a");
    add("b", "b");
    add("all");
    watchers.call([["a", 1]]);
    expect(await called()).toEqual(["a", "all"]);
    watchers.callAll();
    expect(await called()).toEqual(["a", "b", "all"]);
  });

  it("are called once for a change that is reported twice, and again if everything is in doubt", async () => {
    add("a", "a");
    watchers.call([["a", 5]]);
    expect(await called()).toEqual(["a"]);
    for (const seq of [4, 5]) watchers.callForNews([["a", seq]]);
    expect(await called()).toEqual([]);
    watchers.callForNews([["a", 6]]);
    expect(await called()).toEqual(["a"]);
    watchers.callAll();
    watchers.callForNews([["a", 6]]);
    expect(await called()).toEqual(["a", "a"]);
    watchers.callForNews([["a", StreamWatchers.GONE]]);
    expect(await called()).toEqual(["a"]);
  });

  it("are called after a long time without a call, and not all at once", async () => {
    for (let n = 0; n < 200; n += 1) add(`${n}`, `${n}`);
    const later = (ms: number) => {
      vi.advanceTimersByTime(ms);
      watchers.callAfter(30_000);
      return called();
    };
    expect(await later(22_000)).toEqual([]);
    const some = await later(6000);
    expect(some.length).toBeGreaterThan(20);
    expect(some.length).toBeLessThan(180);
    const rest = await later(10_000);
    expect([...some, ...rest].toSorted()).toEqual(
      Array.from({ length: 200 }, (_, n) => `${n}`).toSorted(),
    );
  });

  it("are not called after they have stopped, and leave nothing behind", async () => {
    const stops = [add("a", "a"), add("a again", "a"), add("all")];
    watchers.call([["a", 1]]);
    stops[0]?.();
    expect(await called()).toEqual(["a again", "all"]);
    for (const stop of [...stops, ...stops]) stop();
    expect(watchers.isEmpty).toBe(true);
    watchers.callAll();
    expect(await called()).toEqual([]);
  });
});
