import { describe, expect, it } from "vitest";
import type { SessionCommand } from "../../src/contract/commands.ts";
import { judgeCleanup } from "../../src/core/judge-cleanup.ts";
import { decideSession } from "../../src/core/session/decide-session.ts";
import { isRefusal } from "../../src/core/session/decision.ts";
import { EXAMPLE } from "./example-command.ts";
import { sessionIn, working } from "./session-in.ts";
import { append, MINUTE, play, START, undriven } from "./session-log.ts";

const later = START + 60 * MINUTE;

describe("the time of last activity", () => {
  it.each<SessionCommand>([
    EXAMPLE.annotate,
    EXAMPLE.record_error,
    EXAMPLE.set_phase,
    { type: "set_phase", phase: "investigating", summary: null },
    EXAMPLE.send_message,
    EXAMPLE.save_checkpoint,
    EXAMPLE.observe,
    EXAMPLE.request_approval,
  ])("moves with $type", (command) => {
    expect(play(sessionIn("active"), [command], later).head.updated_at).toBe(later);
  });

  it.each<SessionCommand>([EXAMPLE.pin, EXAMPLE.delete])("stays with $type", (command) => {
    expect(play(sessionIn("active"), [command], later).head.updated_at).toBe(START);
  });

  it("stays when a session is restored from the trash, and retention counts from then", () => {
    const { head } = play(
      play(sessionIn("suspended"), [EXAMPLE.delete]),
      [EXAMPLE.undelete],
      later,
    );
    expect(head.updated_at).toBe(START);
    expect(judgeCleanup(head, later, false)).toEqual({ remove: false, because: null });
    expect(judgeCleanup(head, later + 1, false)).toEqual({ remove: true });
  });

  it("moves with a restore that an earlier version recorded, as in that version", () => {
    const log = play(sessionIn("active"), [EXAMPLE.delete]);
    const origin = { at: later, actor: "user:t", interface: "cli" };
    const restored = append(log, [{ type: "session.undeleted", data: {} }], origin);
    expect(restored.head?.updated_at).toBe(later);
  });

  it("stays when a question expires", () => {
    expect(play(working(), [EXAMPLE.expire_approval], later).head.updated_at).toBe(START);
  });

  it("stays when recovery asks a person what to do", () => {
    const log = sessionIn("active");
    const question: SessionCommand = { ...EXAMPLE.request_approval, kind: "recovery" };
    const facts = decideSession(question, log.head, undriven(later));
    if (isRefusal(facts)) throw new Error(facts.message);
    const origin = { at: later, actor: "recovery", interface: "recovery" };
    const asked = append(log, facts, origin);
    expect(asked.head).toMatchObject({ status: "suspended", updated_at: START });
  });
});
