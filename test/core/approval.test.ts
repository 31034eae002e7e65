import { describe, expect, it } from "vitest";
import type { SessionCommand } from "../../src/contract/commands.ts";
import { EXAMPLE } from "./example-command.ts";
import { sessionIn, working } from "./session-in.ts";
import { driven, driving, MINUTE, perform, play, playAs, START, undriven } from "./session-log.ts";

const ask = (change: Partial<SessionCommand<"request_approval">> = {}): SessionCommand => ({
  ...EXAMPLE.request_approval,
  approval_id: "approval-1",
  ...change,
});
const answer = EXAMPLE.decide_approval;

describe("a question that no process waits for", () => {
  it.each(["question", "recovery"] as const)("suspends the session (%s)", (kind) => {
    const { head } = play(sessionIn("active"), [ask({ kind })]);
    expect(head).toMatchObject({
      status: "suspended",
      suspend_reason: "approval",
      phase: "approval",
      approvals: [{ id: "approval-1", kind, awaited: false, expires_at: null }],
    });
  });

  it("leaves the session suspended once it is answered", () => {
    const { head } = play(sessionIn("active"), [ask(), answer]);
    expect(head).toMatchObject({ status: "suspended", approvals: [] });
  });

  it("survives a resume, unless recovery asked it", () => {
    const { head } = play(sessionIn("active"), [ask(), EXAMPLE.resume]);
    expect(head).toMatchObject({ status: "active", approvals: [{ id: "approval-1" }] });
  });
});

describe("a question that a process waits for", () => {
  it("leaves the session active", () => {
    const { head } = play(sessionIn("active"), [ask({ kind: "permission", awaited: true })]);
    expect(head).toMatchObject({ status: "active", phase: "approval" });
  });
});

describe("a question of recovery", () => {
  const asked = play(sessionIn("active"), [ask({ kind: "recovery" })]);

  it.each<SessionCommand>([EXAMPLE.resume, EXAMPLE.set_phase, EXAMPLE.begin_action])(
    "does not let $type resume the session",
    (command) => {
      expect(perform(asked, command)).toMatchObject({ error: "recovery_pending" });
    },
  );

  it.each<SessionCommand>([EXAMPLE.resume, EXAMPLE.set_phase, EXAMPLE.begin_action])(
    "lets $type resume it after the answer",
    (command) => {
      expect(play(asked, [{ ...answer, of: "recovery" }, command]).head.status).toBe("active");
    },
  );

  it.each(["approved", "rejected"] as const)("is not answered by %s", (decision) => {
    expect(perform(asked, { ...answer, decision })).toMatchObject({
      error: "invalid_input",
      message: expect.stringContaining("belay answer approval-1 continue|rollback|abort"),
    });
  });

  it("is the only question that accepts continue, rollback and abort", () => {
    const other = play(sessionIn("active"), [ask()]);
    expect(perform(other, { ...answer, of: "recovery" })).toMatchObject({ error: "invalid_input" });
  });
});

const AWAITED = { kind: "permission", awaited: true } as const;

describe("an answer", () => {
  it("is accepted once: the first one wins", () => {
    const answered = playAs(working(), [answer], driven());
    expect(perform(answered, { ...answer, decision: "rejected" })).toMatchObject({
      error: "approval_closed",
    });
  });

  it("is too late if the process that asked is dead or no longer drives the session", () => {
    const asked = playAs(
      sessionIn("active"),
      [EXAMPLE.note_agent_started, ask(AWAITED)],
      driving(),
    );
    const lease = (live: boolean, epoch: number) => ({ live, epoch, holder: { name: "belay" } });
    const by = (given: ReturnType<typeof lease> | null) =>
      perform(asked, answer, { ...undriven(), lease: given });
    expect(by(lease(true, 1))).not.toHaveProperty("error");
    for (const gone of [null, lease(false, 1), lease(true, 2)]) {
      expect(by(gone)).toMatchObject({ error: "approval_closed" });
    }
  });

  it("applies to its own question only", () => {
    expect(perform(working(), { ...answer, approval_id: "approval-2" })).toMatchObject({
      error: "approval_closed",
    });
    expect(working().head.approvals).toHaveLength(1);
  });

  it("is too late at the moment of expiry", () => {
    const asked = play(sessionIn("active"), [ask({ expires_at: START + MINUTE })]);
    expect(perform(asked, answer, undriven(START + MINUTE - 1))).not.toHaveProperty("error");
    expect(perform(asked, answer, undriven(START + MINUTE))).toMatchObject({
      error: "approval_closed",
    });
  });

  it("is refused after expiry, and expiry is refused after an answer", () => {
    const expired = play(working(), [EXAMPLE.expire_approval]);
    expect(perform(expired, answer)).toMatchObject({ error: "approval_closed" });
    const answered = playAs(working(), [answer], driven());
    expect(perform(answered, EXAMPLE.expire_approval)).toEqual(answered);
  });
});
