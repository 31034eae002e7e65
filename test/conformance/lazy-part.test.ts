import { describe, expect, it } from "vitest";
import { LazyPart } from "../../src/store/lazy-part.ts";
import type { StoredStream } from "../../src/store/stream-store.ts";

const NO_PAGES = { rows: [], events: [], heads: [] };
const stream: StoredStream = {
  id: "a",
  kind: "session",
  owner: "local",
  key: "one",
  seq: 1,
  head: {},
  lease: null,
};

describe("a lazy part", () => {
  it("computes its stream once, and only on demand", () => {
    let calls = 0;
    const part = new LazyPart(() => {
      calls += 1;
      return stream;
    }, NO_PAGES);
    expect(calls).toBe(0);
    expect([part.stream, part.stream]).toEqual([stream, stream]);
    expect(calls).toBe(1);
  });

  it("has its stream in a copy too", () => {
    const part = new LazyPart(() => stream, NO_PAGES);
    expect({ ...part, rows: [[]] }).toEqual({ ...NO_PAGES, rows: [[]], stream });
  });

  it("shares its getter with all others, so that none keeps its pages in memory", () => {
    const getters = [1, 2].map(() => {
      const part = new LazyPart(() => stream, NO_PAGES);
      return Object.getOwnPropertyDescriptor(part, "stream")?.get;
    });
    expect(getters[0]).toBeDefined();
    expect(getters[0]).toBe(getters[1]);
  });
});
