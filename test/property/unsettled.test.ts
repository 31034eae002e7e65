import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { SessionHead } from "../../src/contract/head.ts";
import { isStale } from "../../src/core/recovery/stale.ts";
import { listSession } from "../../src/core/session/list-session.ts";
import { anyLease, anyLife, live } from "./session-life.ts";

const anyTime = fc.integer({ min: 0, max: 4_000_000_000_000 });

describe("a session is listed as unsettled", () => {
  it("whenever it is or can become stale", () => {
    let stale = 0;
    eachHead((head, lease, now) => {
      if (!isStale(head, lease, now)) return;
      stale += 1;
      expect(listSession(head).unsettled).toBe(1);
    });
    expect(stale).toBeGreaterThan(0);
  });

  it("while it is suspended until a time", () => {
    let asleep = 0;
    eachHead((head) => {
      if (head.status !== "suspended" || head.suspended_until === null || head.deleted) return;
      asleep += 1;
      expect(listSession(head).unsettled).toBe(1);
    });
    expect(asleep).toBeGreaterThan(0);
  });

  it("never when it is finished or in the trash", () => {
    let over = 0;
    eachHead((head) => {
      const isUnfinished = ["created", "active", "suspended"].includes(head.status);
      if (isUnfinished && !head.deleted) return;
      over += 1;
      expect(listSession(head).unsettled).toBe(0);
    });
    expect(over).toBeGreaterThan(0);
  });
});

type Check = (head: SessionHead, lease: { readonly live: boolean } | null, now: number) => void;

/** Every head of many lives, checked at some time. */
function eachHead(check: Check): void {
  fc.assert(
    fc.property(anyLife(80), anyLease, anyTime, (life, lease, now) => {
      live(life, ({ after }) => check(after.head, lease, now));
    }),
    { numRuns: 100 },
  );
}
