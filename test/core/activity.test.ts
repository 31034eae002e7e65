import { describe, expect, it } from "vitest";
import type { SessionCommand } from "../../src/contract/commands.ts";
import { decideSession } from "../../src/core/decide-session.ts";
import { isRefusal } from "../../src/core/decision.ts";
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

  it("stays when a question runs out", () => {
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
