import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { SessionHead } from "../../src/contract/head.ts";
import { anyLife, fold, live } from "./session-life.ts";

describe("the head of a session", () => {
  it("is the fold of its log, including forks", () => {
    fc.assert(
      fc.property(anyLife(80), (life) => {
        live(life, ({ after }) => expect(fold(after.events)).toEqual(after.head));
      }),
      { numRuns: 60 },
    );
  });

  it("is the same if it is folded at once or from any cut", () => {
    fc.assert(
      fc.property(anyLife(80), (life) => {
        const { events, head } = live(life);
        for (let cut = 0; cut <= events.length; cut += 1) {
          const stored = fold(events.slice(0, cut));
          expect(fold(events.slice(cut), stored)).toEqual(head);
        }
      }),
      { numRuns: 60 },
    );
  });

  it("survives being stored as JSON at any cut", () => {
    fc.assert(
      fc.property(anyLife(80), fc.nat(), (life, at) => {
        const { events, head } = live(life);
        const cut = 1 + (at % events.length);
        const stored: SessionHead = JSON.parse(JSON.stringify(fold(events.slice(0, cut))));
        expect(fold(events.slice(cut), stored)).toEqual(head);
        expect(JSON.parse(JSON.stringify(head))).toEqual(head);
      }),
      { numRuns: 100 },
    );
  });

  it("has a log that is numbered from 1 without gaps", () => {
    fc.assert(
      fc.property(anyLife(80), (life) => {
        const { events, seq } = live(life);
        expect(events.map((event) => event.seq)).toEqual(events.map((_, nth) => nth + 1));
        expect(seq).toBe(events.length);
      }),
      { numRuns: 50 },
    );
  });
});
