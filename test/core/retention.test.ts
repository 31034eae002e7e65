import { describe, expect, it } from "vitest";
import type { SessionHead } from "../../src/contract/head.ts";
import type { Status } from "../../src/contract/vocabulary.ts";
import { STATUSES } from "../../src/contract/vocabulary.ts";
import { judgeRetention, judgeRetentionRun } from "../../src/core/retention-rules.ts";
import { sessionIn } from "./session-in.ts";
import { START } from "./session-log.ts";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

const headIn = (status: Status, fields: Partial<SessionHead> = {}): SessionHead => ({
  ...sessionIn(status, START).head,
  supports_resume: false,
  approvals: [],
  updated_at: START,
  ...fields,
});
const isRemoved = (head: SessionHead, after: number, live = false) =>
  judgeRetention(head, START + after, live).remove;

describe("retention", () => {
  it("takes what is suspended after 7 days without activity, not a moment before", () => {
    const head = headIn("suspended");
    expect(isRemoved(head, 7 * DAY)).toBe(false);
    expect(isRemoved(head, 7 * DAY + 1)).toBe(true);
  });

  it("waits for 30 days where the agent can open its session again", () => {
    const head = headIn("suspended", { supports_resume: true });
    expect(isRemoved(head, 30 * DAY)).toBe(false);
    expect(isRemoved(head, 30 * DAY + 1)).toBe(true);
  });

  it.each([true, false])("takes what has failed after a day (supports resume: %s)", (resumes) => {
    const head = headIn("failed", { supports_resume: resumes });
    expect(isRemoved(head, DAY)).toBe(false);
    expect(isRemoved(head, DAY + 1)).toBe(true);
  });

  it.each(STATUSES.filter((status) => status !== "suspended" && status !== "failed"))(
    "never takes what is %s",
    (status) => {
      expect(isRemoved(headIn(status), 10_000 * DAY)).toBe(false);
    },
  );

  it("protects what cleanup protects, and says why", () => {
    const later = START + 100 * DAY;
    const approval = {
      id: "a",
      seq: 1,
      kind: "question",
      awaited: false,
      expires_at: null,
    } as const;
    const waiting = headIn("suspended", { approvals: [approval] });
    expect(judgeRetention(waiting, later, false)).toMatchObject({
      because: "waits for an approval",
    });
    expect(judgeRetention(headIn("failed", { pinned: true }), later, false)).toMatchObject({
      because: "pinned",
    });
    expect(judgeRetention(headIn("suspended"), later, true)).toMatchObject({ because: "driven" });
    const deleted = { at: START, purge_at: START };
    expect(judgeRetention(headIn("failed", { deleted }), later, false).remove).toBe(false);
  });

  it("counts one that is to go on later from then", () => {
    const head = headIn("suspended", { suspended_until: START + 60 * DAY });
    expect(isRemoved(head, 59 * DAY)).toBe(false);
    expect(isRemoved(head, 67 * DAY)).toBe(false);
    expect(isRemoved(head, 67 * DAY + 1)).toBe(true);
  });
});

describe("a day's run of retention", () => {
  const run = (
    last: { ago: number; waits: boolean } | null,
    newest: number | null,
  ): ReturnType<typeof judgeRetentionRun> =>
    judgeRetentionRun(
      last && { at: START - last.ago, waits: last.waits },
      newest === null ? null : START - newest,
      START,
    );

  it("is due at first, and then once in 24 hours", () => {
    expect(run(null, HOUR)).toBe("remove");
    expect(run({ ago: 23 * HOUR, waits: false }, HOUR)).toBe("not due");
    expect(run({ ago: 24 * HOUR, waits: false }, HOUR)).toBe("remove");
  });

  it("waits while the clock is more than a day past all activity", () => {
    expect(run(null, DAY)).toBe("remove");
    expect(run(null, DAY + 1)).toBe("wait");
    expect(run({ ago: 24 * HOUR, waits: false }, 2 * DAY)).toBe("wait");
  });

  it("goes on once a run 20 hours later says the same", () => {
    expect(run({ ago: 20 * HOUR - 1, waits: true }, 2 * DAY)).toBe("not due");
    expect(run({ ago: 20 * HOUR, waits: true }, 2 * DAY)).toBe("remove");
  });

  it("has nothing to wait for in an empty store", () => {
    expect(run(null, null)).toBe("remove");
  });

  it("does not take the word of a clock that has been put right since", () => {
    expect(run({ ago: -365 * DAY, waits: true }, HOUR)).toBe("remove");
    expect(run({ ago: -365 * DAY, waits: true }, 2 * DAY)).toBe("wait");
  });
});
