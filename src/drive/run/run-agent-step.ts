import { BelayError, refuse } from "../../contract/errors.ts";
import { AgentStep } from "../../contract/method-inputs.ts";
import type { Turn } from "../../contract/session.ts";
import { SessionSuspended } from "../../contract/session-suspended.ts";
import { parseObject } from "../../service/belay-service.ts";
import { findSession } from "../../service/read/find-session.ts";
import { readConversation } from "../../service/read/read-conversation.ts";
import type { Caller } from "../../service/service-context.ts";
import { readRows } from "../../store/read-streams.ts";
import type { Drivers } from "./drivers.ts";
import { openConversation, runAgent } from "./run-agent.ts";
import type { RunContext } from "./run-context.ts";

export interface AgentStepOutput {
  readonly conversation_id: string;
  readonly transcript: readonly Turn[];
  readonly summary: string;
  readonly artifacts: readonly Record<string, unknown>[];
}

export async function runAgentStep(
  run: RunContext,
  drivers: Drivers,
  caller: Caller,
  asked: AgentStep,
): Promise<AgentStepOutput> {
  const step = parseObject(AgentStep, asked);
  return step.mode === "interactive"
    ? interactiveStep(run, drivers, caller, step)
    : singleStep(run, drivers, caller, step);
}

/**
 * The first call prepares the session and suspends it. A later call, after people have finished it, returns the result.
 */
async function interactiveStep(
  run: RunContext,
  drivers: Drivers,
  caller: Caller,
  { agent, topic, session_id, task_id, cwd }: AgentStep,
): Promise<AgentStepOutput> {
  if (session_id !== undefined) {
    const { head } = await findSession(run, caller.owner, session_id);
    if (head.status === "completed") return readOutput(run, caller, session_id);
    throw new SessionSuspended(session_id, `the conversation is ${head.status}, not completed yet`);
  }
  const conversation = await openConversation(run, drivers, caller, {
    agent,
    purpose: topic.slice(0, 120),
    ...(task_id !== undefined && { task_id }),
    ...(cwd !== undefined && { cwd }),
  });
  await conversation.post(topic);
  await conversation.suspend("pipeline_suspended");
  throw new SessionSuspended(
    conversation.session_id,
    "the agent waits for a conversation with a person",
  );
}

async function singleStep(
  run: RunContext,
  drivers: Drivers,
  caller: Caller,
  { agent, topic: message, session_id, task_id, cwd }: AgentStep,
): Promise<AgentStepOutput> {
  const place =
    session_id === undefined
      ? { agent, ...(task_id !== undefined && { task_id }), ...(cwd !== undefined && { cwd }) }
      : { id: session_id };
  const conversation = await openConversation(run, drivers, caller, place);
  const { session_id: id } = conversation;
  let failure: string | null = null;
  for await (const event of runAgent(run, drivers, caller, { id, message })) {
    if (event.type === "error") failure = event.message;
    if (event.type === "completed" && event.outcome === "cancelled") failure = "it was cancelled";
    // A turn is only interrupted by a suspension or by the end of a process.
    if (
      event.type === "suspended" ||
      (event.type === "completed" && event.outcome === "interrupted")
    )
      throw new SessionSuspended(id, "the session was suspended");
  }
  if (failure !== null) {
    throw new BelayError(refuse("agent_failed", failure, { session_id: id }));
  }
  const output = await readOutput(run, caller, id);
  await conversation.complete(output.summary.slice(0, 200));
  return output;
}

async function readOutput(run: RunContext, caller: Caller, id: string): Promise<AgentStepOutput> {
  const { stream, head } = await findSession(run, caller.owner, id);
  const { turns: transcript } = await readConversation(run.store, stream.id, { limit: 50 });
  const artifacts = await readRows(run.store, stream.id, { kind: "artifact", limit: 50 });
  return {
    conversation_id: head.session_id,
    transcript,
    summary: head.ended?.summary ?? transcript.at(-1)?.output ?? "",
    artifacts: artifacts.map(({ data }) => ({ ...data })),
  };
}
