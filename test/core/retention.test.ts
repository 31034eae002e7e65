import { describe, expect, it } from "vitest";
import type { SessionHead } from "../../src/contract/head.ts";
import type { Status } from "../../src/contract/vocabulary.ts";
import { STATUSES } from "../../src/contract/vocabulary.ts";
import {
  countServed,
  isPurgeDue,
  judgeRetention,
  judgeRetentionRun,
} from "../../src/core/retention-rules.ts";
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
  it("removes a suspended session after 7 days without activity, not earlier", () => {
    const head = headIn("suspended");
    expect(isRemoved(head, 7 * DAY)).toBe(false);
    expect(isRemoved(head, 7 * DAY + 1)).toBe(true);
  });

  it("waits 30 days if the agent can reopen its session", () => {
    const head = headIn("suspended", { supports_resume: true });
    expect(isRemoved(head, 30 * DAY)).toBe(false);
    expect(isRemoved(head, 30 * DAY + 1)).toBe(true);
  });

  it.each([true, false])(
    "removes a failed session after a day (supports resume: %s)",
    (resumes) => {
      const head = headIn("failed", { supports_resume: resumes });
      expect(isRemoved(head, DAY)).toBe(false);
      expect(isRemoved(head, DAY + 1)).toBe(true);
    },
  );

  it.each(STATUSES.filter((status) => status !== "suspended" && status !== "failed"))(
    "never removes a session that is %s",
    (status) => {
      expect(isRemoved(headIn(status), 10_000 * DAY)).toBe(false);
    },
  );

  it("protects the same sessions as cleanup, and says why", () => {
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

  it("counts from the time until which a session is suspended", () => {
    const head = headIn("suspended", { suspended_until: START + 60 * DAY });
    expect(isRemoved(head, 59 * DAY)).toBe(false);
    expect(isRemoved(head, 67 * DAY)).toBe(false);
    expect(isRemoved(head, 67 * DAY + 1)).toBe(true);
  });
});

describe("a day's run of retention", () => {
  it("removes nothing in the first run", () => {
    expect(judgeRetentionRun(null, 0, START)).toEqual({ as_of: null });
  });

  it("is due once for each day that servers have run, not by the clock", () => {
    const last = { at: START, waits: false, served_ms: 5 * DAY };
    expect(judgeRetentionRun(last, 6 * DAY - 1, START + 365 * DAY)).toBe("not due");
    expect(judgeRetentionRun(last, 6 * DAY, START + 1)).toEqual({ as_of: START });
  });

  it("uses the earlier of its own clock and that of the previous run", () => {
    const ahead = { at: START + 365 * DAY, waits: true, served_ms: 0 };
    expect(judgeRetentionRun(ahead, DAY, START)).toEqual({ as_of: START });
  });

  it("starts to count anew after a run of an older Belay", () => {
    expect(judgeRetentionRun({ at: START, waits: false }, DAY, START)).toEqual({ as_of: START });
  });
});

describe("the time that servers have run", () => {
  const last = { boot_id: "a", uptime_ms: 10 * HOUR, total_ms: 3 * DAY };

  it("starts with the first count", () => {
    expect(countServed(null, { boot_id: "a", uptime_ms: 99 * DAY })).toBe(0);
  });

  it("grows with the machine's own clock, at most a day at a time", () => {
    expect(countServed(last, { boot_id: "a", uptime_ms: 12 * HOUR })).toBe(3 * DAY + 2 * HOUR);
    expect(countServed(last, { boot_id: "a", uptime_ms: 90 * DAY })).toBe(4 * DAY);
  });

  it("counts from the boot of a restarted machine", () => {
    expect(countServed(last, { boot_id: "b", uptime_ms: 11 * HOUR })).toBe(3 * DAY + 11 * HOUR);
    expect(countServed({ ...last, boot_id: null }, { boot_id: null, uptime_ms: HOUR })).toBe(
      3 * DAY + HOUR,
    );
  });
});

describe("purging", () => {
  const deleted = { at: START, purge_at: START + 7 * DAY, served_ms: 2 * DAY };
  it.each([
    ["neither", START, 3 * DAY, false],
    ["the clock alone", START + 365 * DAY, 9 * DAY - 1, false],
    ["serving alone", START + 7 * DAY - 1, 90 * DAY, false],
    ["both", START + 7 * DAY, 9 * DAY, true],
  ])("needs the clock and the time that servers have run: %s", (_, now, served, isDue) => {
    expect(isPurgeDue(headIn("failed", { deleted }), now, served)).toBe(isDue);
  });

  it("affects only sessions in the trash", () => {
    expect(isPurgeDue(headIn("failed"), START + 365 * DAY, 365 * DAY)).toBe(false);
  });
});
