import { describe, expect, it } from "vitest";
import type { Session } from "../../src/contract/session.ts";
import type { Status } from "../../src/contract/vocabulary.ts";
import { DISPLAY_STATUS, STATE } from "../../src/core/session/status-rules.ts";
import type { Filters } from "../../web/src/sessions/filters.ts";
import { fits } from "../../web/src/sessions/list-input.ts";
import {
  addChange,
  type Change,
  countNewer,
  joinPages,
  mergeSessions,
  NO_CHANGE,
  refreshSessions,
} from "../../web/src/sessions/merge-sessions.ts";

const START = Date.UTC(2026, 0, 1, 12);
const at = (minute: number) => new Date(START + minute * 60_000).toISOString();

/** Last active in this minute; each has its own version by default. */
function session(id: string, minute: number, more: Partial<Session> = {}): Session {
  const status: Status = more.status ?? "active";
  return {
    session_id: id,
    agent_id: id,
    entity_id: `entity-${id}`,
    agent_name: "demo",
    interface: "api",
    owner: "local",
    purpose: null,
    title: null,
    project: null,
    task_id: `entity-${id}`,
    status,
    state: STATE[status],
    display_status: DISPLAY_STATUS[status],
    activity: "idle",
    phase: "executing",
    run: 1,
    created_at: at(0),
    updated_at: at(minute),
    last_updated: at(minute),
    ended_at: null,
    duration: null,
    summary: null,
    metadata: {},
    suspended_until: null,
    checkpoint_id: null,
    parent_session_id: null,
    supports_resume: false,
    resume_ready: true,
    error_count: 0,
    last_error: null,
    history: [],
    turn_count: 0,
    queued_messages: 0,
    queue_position: null,
    open_actions: 0,
    pending_approvals: 0,
    usage: { input_tokens: 0, output_tokens: 0, cost_usd: 0 },
    pinned: false,
    expires_at: null,
    deleted_at: null,
    driver: null,
    stale: false,
    recovery: null,
    version: minute + 1,
    ...more,
  };
}

const list = [session("c", 30), session("b", 20), session("a", 10)];
const changed = (...sessions: Session[]): Change => ({ sessions, gone: [] });
const ids = (rows: readonly Session[]) => rows.map(({ session_id }) => session_id).join(" ");
const merge = (change: Change, filters: Filters = {}, isWhole = true) =>
  mergeSessions(list, change, isWhole, (each) => fits(each, filters));

describe("a changed session in a list", () => {
  it("moves to the top when it is active again, and is listed once", () => {
    expect(ids(merge(changed(session("a", 40))))).toBe("a c b");
  });

  it("is placed by activity if it is new", () => {
    expect(ids(merge(changed(session("new", 25))))).toBe("c new b a");
    expect(ids(merge(changed(session("x", 50), session("y", 60))))).toBe("y x c b a");
  });

  it("shows its current state", () => {
    const [first] = merge(changed(session("c", 30, { title: "renamed", version: 90 })));
    expect(first?.title).toBe("renamed");
  });

  it("is not overwritten by an older answer", () => {
    const [first] = merge(changed(session("c", 5, { title: "old", version: 2 })));
    expect(first).toMatchObject({ session_id: "c", title: null, version: 31 });
  });

  it("is removed if it no longer matches", () => {
    expect(ids(merge(changed(session("b", 40, { status: "archived" }))))).toBe("c a");
    expect(ids(merge(changed(session("b", 40, { deleted_at: at(40) }))))).toBe("c a");
    expect(ids(merge(changed(session("b", 40, { title: "red" })), { q: "blue" }))).toBe("c a");
    expect(ids(merge({ sessions: [], gone: ["c"] }))).toBe("b a");
  });

  it("is not added if it does not match", () => {
    expect(
      ids(merge(changed(session("new", 50, { agent_name: "claude" })), { agent: "demo" })),
    ).toBe("c b a");
  });

  it("waits for its page if it comes after all loaded ones", () => {
    const old = changed(session("old", 5));
    expect(ids(merge(old, {}, false))).toBe("c b a");
    expect(ids(merge(old, {}, true))).toBe("c b a old");
  });

  it("does not move unchanged sessions", () => {
    const sameMinute = ["n1", "n3", "n2"].map((id) => session(id, 30));
    const merged = mergeSessions(sameMinute, changed(session("z", 20)), true, () => true);
    expect(ids(merged)).toBe("n1 n3 n2 z");
    expect(merged[1]).toBe(sameMinute[1]);
  });

  it("keeps the order within a minute, newest first", () => {
    const young = session("young", 30, { created_at: at(2) });
    const old = session("old", 30, { created_at: at(1) });
    const again = { ...old, version: 99 };
    expect(ids(mergeSessions([young, old], changed(again), true, () => true))).toBe("young old");
  });
});

describe("a list that someone has scrolled", () => {
  const change = changed(
    session("a", 40, { title: "busy" }),
    session("b", 41, { status: "archived" }),
    session("new", 42),
  );
  const held = refreshSessions(list, change);

  it("shows a changed session in its place", () => {
    expect(ids(held)).toBe("c b a");
    expect(held.map(({ title }) => title)).toEqual([null, null, "busy"]);
    expect(held[1]?.status).toBe("archived");
  });

  it("is sorted later, also if it already shows the newest", () => {
    expect(ids(mergeSessions(held, change, true, (each) => fits(each, {})))).toBe("new a c");
  });

  it("shows how many sessions are further up", () => {
    const merged = mergeSessions(held, change, true, (each) => fits(each, {}));
    expect(countNewer(held, merged, change)).toBe(2);
    expect(countNewer(held, held, NO_CHANGE)).toBe(0);
  });

  it("keeps the newest of two changes", () => {
    const both = addChange(changed(session("a", 50)), {
      sessions: [session("a", 45), session("b", 46)],
      gone: ["c"],
    });
    expect(both.sessions.map(({ session_id, version }) => `${session_id} ${version}`)).toEqual([
      "a 51",
      "b 47",
    ]);
    expect(both.gone).toEqual(["c"]);
  });
});

it("shows a session of two pages once, as it was read last", () => {
  const later = session("b", 20, { version: 77 });
  const rows = joinPages([{ sessions: list }, { sessions: [later, session("z", 1)] }]);
  expect(ids(rows)).toBe("c b a z");
  expect(rows[1]?.version).toBe(77);
});

describe("the sessions that match a list", () => {
  it.each([
    [{}, { status: "completed" }, true],
    [{}, { status: "cancelled" }, false],
    [{}, { status: "failed" }, false],
    [{ archived: true }, { status: "cancelled" }, true],
    [{ archived: true }, { status: "failed" }, false],
    [{ status: "failed" }, { status: "failed" }, true],
    [{ project: "/a" }, { project: { cwd: "/a", repo: null, branch: null } }, true],
    [{ project: "/a" }, { project: null }, false],
    [{ task: "T-1" }, { task_id: "T-1" }, true],
    [{ q: "LOGIN form" }, { title: "the form of the login" }, true],
    [{ q: "login form" }, { title: "the form" }, false],
    [{ q: "done" }, { summary: "Done." }, true],
  ] as const satisfies readonly (readonly [Filters, Partial<Session>, boolean])[])(
    "%j and %j: %s",
    (filters, more, belongs) => {
      expect(fits(session("x", 1, more), filters)).toBe(belongs);
    },
  );
});
