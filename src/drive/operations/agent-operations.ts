import { existsSync } from "node:fs";
import { AgentMemory } from "../../contract/events.ts";
import type { Output, Parsed } from "../../contract/operations.ts";
import { planResume } from "../../core/resume/plan-resume.ts";
import { isUnfinished } from "../../core/session/status-rules.ts";
import { changeSession } from "../../service/change-session.ts";
import { hasScope } from "../../service/expect-scope.ts";
import { idFor, type Retry, retryOf } from "../../service/idempotency.ts";
import type { FoundSession } from "../../service/read/find-session.ts";
import { findSession } from "../../service/read/find-session.ts";
import { readConversation } from "../../service/read/read-conversation.ts";
import { showWholeSession } from "../../service/read/show-session.ts";
import type { Caller, ServiceContext } from "../../service/service-context.ts";
import { expectAgent } from "../expect-agent.ts";
import { expectDriver } from "../expect-driver.ts";
import { previewHandoff } from "../preview-handoff.ts";
import { replaySession } from "../replay-session.ts";
import { TOLD_TURNS } from "../run/brief-agent.ts";

/** Operations for talking to agents that Belay runs. */
export const agentOperations = {
  async agents(
    { agents }: ServiceContext,
    input: Parsed<"agents">,
    caller: Caller,
  ): Promise<Output<"agents">> {
    // Only a caller who could start an agent in a folder learns what the folder contains.
    const mayName = caller.role !== "member" && hasScope(caller.scope, "write");
    const named = mayName ? input.cwd : undefined;
    const cwd = named ?? caller.project?.cwd ?? process.cwd();
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
      cwd_exists: cwd == null || caller.role === "member" || existsSync(cwd),
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
    const retry = retryOf("send_message", input);
    const turn_id = input.turn_id ?? idFor(context, caller, retry);
    const { message, id, expected_version, agent } = input;
    const told = { id, expected_version, retry, message, turn_id, to: agent ?? null };
    const sent = await queueMessage(context, caller, told);
    const { key: session_id, seq: version } = sent.stream;
    const { seq } = sent.head.queue.find(({ id }) => id === turn_id) ?? { seq: version };
    const position = context.agents?.positionOf(sent.stream.id) ?? null;
    const waits = position === null ? {} : { queue_position: position };
    return { session_id, turn_id, seq, version, ...waits };
  },

  async handoff(
    context: ServiceContext,
    input: Parsed<"handoff">,
    caller: Caller,
  ): Promise<Output<"handoff">> {
    const retry = retryOf("handoff", input);
    const { id, to, expected_version, message = null } = input;
    if (input.dry_run) return previewHandoff(context, input, caller);
    const turn_id = message === null ? null : (input.turn_id ?? idFor(context, caller, retry));
    const told = { id, expected_version, retry, message, turn_id, to };
    const changed = await queueMessage(context, caller, told);
    return { ...(await showWholeSession(context, changed)), turn_id };
  },

  replay: replaySession,

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

interface MessageForAgent {
  readonly id: string;
  readonly expected_version: number | undefined;
  readonly retry: Retry | undefined;
  /** The agent that the session is handed to; null keeps its own. */
  readonly to: string | null;
  readonly message: string | null;
  readonly turn_id: string | null;
}

/** Hands a session over, sends it a message, or both. It is one change, so that a crash leaves all of it or nothing. */
async function queueMessage(context: ServiceContext, caller: Caller, told: MessageForAgent) {
  const { id, expected_version, retry, to, message: content, turn_id } = told;
  const asked = await findSession(context, caller.owner, id);
  const isOther = to !== null && to !== asked.head.agent_name;
  if (isOther) await expectAgent(context, to, asked);
  const drive = isOther ? context.agents?.drive : await expectDriver(context.agents, asked);
  const changed = await changeSession(context, caller, {
    id,
    expected_version,
    retry,
    reads: to === null ? [] : [{ stream: 0, query: { kind: "agent", key: to } }],
    commands: (_, { rows: [known = []] }) => [
      ...(to === null
        ? []
        : [
            {
              type: "handoff",
              to,
              known: AgentMemory.nullable().parse(known.at(-1)?.data ?? null),
            } as const,
          ]),
      ...(content === null || turn_id === null
        ? []
        : [{ type: "send_message", turn_id, content, interface: caller.interface } as const]),
    ],
  });
  const found = await findSession(context, caller.owner, changed.stream.key);
  // A repeated message may already be answered, or its session ended, so it must not run twice.
  if (turn_id !== null && isDue(found, turn_id)) await drive?.(found);
  return changed;
}

function isDue({ head: { status, turn, queue } }: FoundSession, turn_id: string): boolean {
  return isUnfinished(status) && (turn?.id === turn_id || queue.some(({ id }) => id === turn_id));
}

function bytesOf(text: string): number {
  return Buffer.byteLength(text);
}
