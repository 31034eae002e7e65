import { describe, expect, it } from "vitest";
import { SessionSuspended } from "../../src/index.ts";
import { openLab, openQuestion, processesMarked, reopenLab, talk, until } from "./run-lab.ts";

describe("an agent step", () => {
  it("runs one turn, completes the session and returns its outcome", async () => {
    const { belay, cwd } = await openLab();
    const output = await belay.runAgentStep({ agent: "agent", topic: "/say it is done", cwd });
    expect(output).toMatchObject({ summary: "it is done", artifacts: [] });
    expect(output.transcript).toMatchObject([{ input: "/say it is done", output: "it is done" }]);
    const session = await belay.sessions.get({ id: output.conversation_id });
    expect(session).toMatchObject({ status: "completed", summary: "it is done", driver: null });
    expect(processesMarked(session.entity_id)).toEqual([]);
  });

  it("fails with the agent's message, and can be retried in the same session", async () => {
    const { belay, cwd } = await openLab();
    const step = { agent: "agent", cwd } as const;
    const failed = await belay
      .runAgentStep({ ...step, topic: "/fail no model" })
      .catch((error: unknown) => error);
    expect(failed).toMatchObject({ code: "agent_failed" });
    expect(String(failed)).toContain("no model");
    const [session] = (await belay.sessions.list({})).sessions;
    const session_id = session?.session_id ?? "";
    const output = await belay.runAgentStep({ ...step, topic: "/say now", session_id });
    expect(output).toMatchObject({ conversation_id: session_id, summary: "now" });
    expect(output.transcript).toHaveLength(2);
  });

  it.each(["suspend", "suspendAll", "interrupt"] as const)(
    "is not completed if it is stopped by %s",
    async (how) => {
      const lab = await openLab();
      const step = lab.belay
        .runAgentStep({ agent: "agent", topic: "/ask May I?", cwd: lab.cwd })
        .catch((error: unknown) => error);
      const id = await until("the session", async () => {
        const [session] = (await lab.belay.sessions.list({})).sessions;
        return session?.pending_approvals ? session.session_id : null;
      });
      await openQuestion(lab, id);
      if (how === "suspend") await lab.belay.sessions.suspend({ id, reason: "user_requested" });
      if (how === "suspendAll") await lab.belay.suspendAll();
      if (how === "interrupt") await lab.belay.turns.interrupt({ id });
      const stopped = await step;
      if (how === "interrupt") expect(stopped).toMatchObject({ code: "agent_failed" });
      else expect(stopped).toBeInstanceOf(SessionSuspended);
      const status = how === "interrupt" ? "active" : "suspended";
      expect(await lab.belay.sessions.get({ id })).toMatchObject({ status });
    },
  );

  it("waits for people when it is interactive, across processes", async () => {
    const lab = await openLab();
    const step = { agent: "agent", topic: "plan the trip", mode: "interactive" } as const;
    const waiting = await lab.belay
      .runAgentStep({ ...step, cwd: lab.cwd })
      .catch((error: unknown) => error);
    if (!(waiting instanceof SessionSuspended)) throw waiting;
    const { session_id } = waiting;
    expect(String(waiting)).toContain(session_id);
    expect(await lab.belay.sessions.get({ id: session_id })).toMatchObject({
      status: "suspended",
      queued_messages: 1,
      metadata: { suspend_reason: "pipeline_suspended" },
    });
    await lab.belay.close();

    const other = await reopenLab(lab.home);
    await talk(other, "/say to the sea", { id: session_id });
    await expect(other.belay.runAgentStep({ ...step, session_id })).rejects.toBeInstanceOf(
      SessionSuspended,
    );
    await other.belay.sessions.finalize({
      id: session_id,
      outcome: "completed",
      summary: "the sea",
    });
    const output = await other.belay.runAgentStep({ ...step, session_id });
    expect(output).toMatchObject({ conversation_id: session_id, summary: "the sea" });
    expect(output.transcript.map(({ input }) => input)).toEqual([
      "plan the trip",
      "/say to the sea",
    ]);
  });
});
