import { describe, expect, it } from "vitest";
import type { SystemFact } from "../../src/contract/events.ts";
import type { SystemHead } from "../../src/contract/head.ts";
import { LIMITS } from "../../src/contract/limits.ts";
import { WEBHOOK_EVENTS } from "../../src/contract/vocabulary.ts";
import { evolveSystem, newSystemHead } from "../../src/core/system.ts";
import { jsonBytes } from "../../src/core/text-size.ts";

const webhook_id = "01990000-0000-7000-8000-000000000001";
const long = (bytes: number) => "x".repeat(bytes);

function fold(facts: readonly SystemFact[], head = newSystemHead(webhook_id, "ann")): SystemHead {
  const meta = { actor: "belay", interface: "api", trace_id: null };
  return facts.reduce(
    (before, fact, nth) => evolveSystem(before, { ...fact, ...meta, seq: nth + 1, at: nth + 1 }),
    head,
  );
}

const added: SystemFact = {
  type: "webhook.added",
  data: {
    webhook_id,
    url: long(LIMITS.WEBHOOK_URL - 2),
    on: [...WEBHOOK_EVENTS],
    allow_private: true,
    cursor: "f-1",
  },
};
const delivery = {
  webhook_id,
  event_id: long(44),
  type: "approval.requested",
  session_id: long(LIMITS.SESSION_ID.max),
  status: 500,
};
const failed = (attempt: number): SystemFact => ({
  type: "webhook.failed",
  data: { ...delivery, attempt, why: long(400), next_at: 9 },
});
const delivered = (cursor: string): SystemFact => ({
  type: "webhook.delivered",
  data: { ...delivery, attempt: 1, status: 200, cursor },
});

describe("the head of a webhook", () => {
  it("has a limited size after any events", () => {
    const often = Array.from({ length: 500 }, (_, nth) => [failed(nth), delivered(`f-${nth}`)]);
    const parked: SystemFact = { type: "webhook.parked", data: { webhook_id, why: long(400) } };
    const head = fold([added, ...often.flat(), failed(501), parked]);
    expect(jsonBytes(head)).toBeLessThan(LIMITS.HEAD_BYTES);
    const accepted = fold([
      {
        type: "webhook.accepted",
        data: {
          webhook_id,
          name: long(40),
          preset: "github",
          agent_name: long(LIMITS.AGENT),
          session_key: long(LIMITS.WEBHOOK_PATH),
          message: long(LIMITS.WEBHOOK_MESSAGE - 2),
          events: Array.from({ length: LIMITS.WEBHOOK_EVENTS }, () => long(64)),
          cwd: long(LIMITS.PROJECT),
        },
      },
    ]);
    expect(jsonBytes(accepted)).toBeLessThan(LIMITS.HEAD_BYTES);
  });

  it("moves only past events that were acknowledged or not for it", () => {
    const cursorAfter = (...facts: SystemFact[]) => fold([added, ...facts]).webhook?.cursor;
    expect(cursorAfter(failed(1), failed(2))).toBe("f-1");
    expect(cursorAfter({ type: "webhook.parked", data: { webhook_id, why: "" } })).toBe("f-1");
    expect(cursorAfter({ type: "webhook.resumed", data: { webhook_id } })).toBe("f-1");
    expect(cursorAfter(failed(1), delivered("f-2"))).toBe("f-2");
    expect(cursorAfter({ type: "webhook.advanced", data: { webhook_id, cursor: "f-3" } })).toBe(
      "f-3",
    );
  });

  it("stores since when an event has failed", () => {
    expect(fold([added, failed(1), failed(2), failed(3)]).webhook?.failing).toMatchObject({
      attempts: 3,
      since: 2,
    });
    expect(fold([added, failed(1), delivered("f-2")]).webhook?.failing).toBeNull();
  });

  it("stays removed with its first time of removal", () => {
    const removed: SystemFact = { type: "webhook.removed", data: { webhook_id } };
    const head = fold([added, removed, removed, delivered("f-2")]);
    expect(head.webhook?.removed_at).toBe(2);
  });
});
