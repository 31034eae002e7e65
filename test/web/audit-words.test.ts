import { describe, expect, it } from "vitest";
import type { AuditLine } from "../../src/contract/past.ts";
import { describeData, sessionOf } from "../../web/src/audit/audit-words.ts";

describe("the data of an audit entry", () => {
  it("shows times as dates, and other values as they are", () => {
    const until = Date.UTC(2026, 10, 20, 9, 30);
    expect(describeData({ seq: 32, until, by: "bob" })).toBe(
      "seq: 32 · until: 2026-11-20T09:30:00.000Z · by: bob",
    );
  });

  it("shows the time at which a deleted session is removed as a date", () => {
    expect(describeData({ purge_at: 1_795_642_072_494 })).toBe(
      "purge_at: 2026-11-25T21:27:52.494Z",
    );
  });

  it("names everyone if a share is for all people", () => {
    expect(describeData({ person: null, role: "viewer", until: null })).toBe(
      "person: everyone · role: viewer",
    );
  });

  it("shows a time that no calendar has as it is", () => {
    expect(describeData({ until: 1e300 })).toBe("until: 1e+300");
  });
});

describe("the session of an audit entry", () => {
  const entry: AuditLine = {
    seq: 1,
    type: "link.created",
    at: "2026-11-20T09:30:00.000Z",
    actor: "person:bob",
    interface: "web",
    trace_id: null,
    hash: "",
    data: { entity_id: "of-a-session" },
    kind: "system",
    id: "links",
    owner: "bob",
  };

  it("is named by an entry about one", () => {
    expect(sessionOf(entry, true)).toBe("of-a-session");
    expect(sessionOf(entry, false)).toBe(null);
  });

  it("is not a task, which has an entity id too", () => {
    const task = { ...entry, type: "task.created", kind: "task", data: { entity_id: "of-a-task" } };
    expect(sessionOf(task, true)).toBe(null);
  });
});
