import { existsSync } from "node:fs";
import type { Output, Parsed } from "../../contract/operations.ts";
import { planResume } from "../../core/resume/plan-resume.ts";
import { isUnfinished } from "../../core/session/status-rules.ts";
import { changeSession } from "../../service/change-session.ts";
import { idFor, retryOf } from "../../service/idempotency.ts";
import type { FoundSession } from "../../service/read/find-session.ts";
import { findSession } from "../../service/read/find-session.ts";
import { readConversation } from "../../service/read/read-conversation.ts";
import { showWholeSession } from "../../service/read/show-session.ts";
import type { Caller, ServiceContext } from "../../service/service-context.ts";
import { expectDriver } from "../expect-driver.ts";
import { TOLD_TURNS } from "../run/brief-agent.ts";

/** Operations by which people speak with agents that Belay runs. */
export const agentOperations = {
  async agents(
    { agents }: ServiceContext,
    input: Parsed<"agents">,
    caller: Caller,
  ): Promise<Output<"agents">> {
    const cwd = input.cwd ?? caller.project?.cwd ?? process.cwd();
    return { agents: (await agents?.list(cwd)) ?? [] };
  },

  async resume_plan(
    context: ServiceContext,
    input: Parsed<"resume_plan">,
    caller: Caller,
  ): Promise<Output<"resume_plan">> {
    const { stream, head } = await findSession(context, caller.owner, input.id);
    const { turns } = await readConversation(context.store, stream.id, { limit: TOLD_TURNS });
    const cwd = head.project?.cwd;
    const { agent } = head;
    const plan = planResume(head, {
      driver: stream.lease?.live ? stream.lease.holder.name : null,
      reopen: agent?.session_id && agent.reopens ? (agent.clean ? "resume" : "load") : null,
      cwd_exists: cwd == null || existsSync(cwd),
      context_bytes: turns.reduce((sum, turn) => sum + bytesOf(turn.input + turn.output), 0),
    });
    const { pending_approvals, unknown_outcomes, ...found } = plan.found;
    return {
      session_id: head.session_id,
      way: plan.way,
      why: plan.why,
      found: {
        ...found,
        pending_approvals: [...pending_approvals],
        unknown_outcomes: [...unknown_outcomes],
      },
    };
  },

  async send_message(
    context: ServiceContext,
    input: Parsed<"send_message">,
    caller: Caller,
  ): Promise<Output<"send_message">> {
    const asked = await findSession(context, caller.owner, input.id);
    const drive = await expectDriver(context.agents, asked);
    const retry = retryOf("send_message", input);
    const turn_id = input.turn_id ?? idFor(context, caller, retry);
    const { message: content, id, expected_version } = input;
    const sent = await changeSession(context, caller, {
      id,
      expected_version,
      retry,
      commands: () => [{ type: "send_message", turn_id, content, interface: caller.interface }],
    });
    const found = await findSession(context, caller.owner, sent.stream.key);
    // A message that was sent before may have been answered, or its session ended: it runs once.
    if (isDue(found, turn_id)) await drive(found);
    const { key, seq: version } = sent.stream;
    const { seq } = sent.head.queue.find(({ id }) => id === turn_id) ?? { seq: version };
    return { session_id: key, turn_id, seq, version };
  },

  async interrupt(context: ServiceContext, input: Parsed<"interrupt">, caller: Caller) {
    const changed = await changeSession(context, caller, {
      id: input.id,
      expected_version: input.expected_version,
      retry: retryOf("interrupt", input),
      commands: () => [{ type: "interrupt" }],
    });
    return showWholeSession(context, changed);
  },
};

function isDue({ head: { status, turn, queue } }: FoundSession, turn_id: string): boolean {
  return isUnfinished(status) && (turn?.id === turn_id || queue.some(({ id }) => id === turn_id));
}

function bytesOf(text: string): number {
  return Buffer.byteLength(text);
}
