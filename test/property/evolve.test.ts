import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { SESSION_EVENTS } from "../../src/contract/events.ts";
import { evolveSession } from "../../src/core/session/evolve-session.ts";
import { indexSession } from "../../src/core/session/index-session.ts";
import { isSessionHead } from "../../src/core/session/known-events.ts";
import { anyEvent } from "./arbitrary-event.ts";
import { anyLife, fold, live } from "./session-life.ts";

const NOTHING_KNOWN = { action: [], checkpoint: [], outcome: [] };

describe("evolving", () => {
  it("is total: any event on any head yields a head", () => {
    fc.assert(
      fc.property(
        anyLife(40),
        fc.array(anyEvent, { minLength: 1, maxLength: 8 }),
        (life, events) => {
          const { head } = live(life);
          events.reduce((current, event) => {
            const next = evolveSession(current, event);
            expect(isSessionHead(next)).toBe(true);
            return next ?? current;
          }, head);
        },
      ),
      { numRuns: 300 },
    );
  });

  it("without a head yields one only from session.created", () => {
    fc.assert(
      fc.property(anyEvent, (event) => {
        expect(evolveSession(null, event) !== null).toBe(event.type === "session.created");
      }),
      { numRuns: 500 },
    );
  });

  it("is pure: it does not change its input", () => {
    fc.assert(
      fc.property(anyLife(40), anyEvent, (life, event) => {
        const { events, head } = live(life);
        evolveSession(head, event);
        expect(fold(events)).toEqual(head);
      }),
      { numRuns: 100 },
    );
  });

  it("covers every kind of event in these tests", () => {
    const seen = new Set(fc.sample(anyEvent, { numRuns: 2000, seed: 1 }).map(({ type }) => type));
    expect([...seen].toSorted()).toEqual(Object.keys(SESSION_EVENTS).toSorted());
  });
});

describe("indexing", () => {
  it("is total", () => {
    fc.assert(
      fc.property(anyLife(40), anyEvent, (life, event) => {
        const { head } = live(life);
        for (const before of [head, null]) {
          const { rows } = indexSession(event, before, NOTHING_KNOWN);
          expect(rows.every((row) => row.seq === event.seq)).toBe(true);
        }
      }),
      { numRuns: 200 },
    );
  });
});
