import type { RunInput, SessionToRun } from "../../contract/method-inputs.ts";
import {
  ExistingSession,
  NewSession,
  RunInNewSession,
  RunInSession,
} from "../../contract/method-inputs.ts";
import type { RunEvent } from "../../contract/run-event.ts";
import { titleOf } from "../../core/session/title-of.ts";
import { parseObject } from "../../service/belay-service.ts";
import { findProject } from "../../service/find-project.ts";
import { sessionOperations } from "../../service/operations/session-operations.ts";
import type { Caller } from "../../service/service-context.ts";
import { AgentConversation } from "./agent-conversation.ts";
import type { Drivers } from "./drivers.ts";
import { concernsAll, endsTurn } from "./follow-turn.ts";
import type { RunContext } from "./run-context.ts";

/**
 * Sends a message and yields events until its turn ends or the session is suspended. If the caller stops listening
 * before that, the turn is interrupted.
 */
export async function* runAgent(
  run: RunContext,
  drivers: Drivers,
  caller: Caller,
  asked: RunInput,
): AsyncGenerator<RunEvent> {
  const { message, ...input } = isKnown(asked)
    ? parseObject(RunInSession, asked)
    : parseObject(RunInNewSession, asked);
  const place = "agent" in input ? { title: titleOf(message), ...input } : input;
  const conversation = await openConversation(run, drivers, caller, place);
  let over = false;
  let turn_id: string | null = null;
  try {
    await conversation.resume();
    turn_id = await conversation.send(message);
    let begun = false;
    for await (const event of conversation.events) {
      begun ||= event.type === "started" && event.turn_id === turn_id;
      over = endsTurn(event, turn_id, begun);
      if (begun || over || concernsAll(event, turn_id)) yield event;
      if (over) return;
    }
  } finally {
    conversation.close();
    if (!over && turn_id !== null) await conversation.interrupt(turn_id).catch(() => undefined);
  }
}

/** No session is created for an agent that cannot be run here. */
export async function openConversation(
  run: RunContext,
  drivers: Drivers,
  caller: Caller,
  asked: SessionToRun,
): Promise<AgentConversation> {
  const place = isKnown(asked)
    ? parseObject(ExistingSession, asked)
    : parseObject(NewSession, asked);
  if ("id" in place) return AgentConversation.open(run, drivers, caller, place.id);
  const { agent, session_id, purpose, title, task_id, metadata = {}, cwd = process.cwd() } = place;
  const admit = await drivers.admit(caller.owner, agent, cwd);
  const project = findProject(cwd);
  const created = await sessionOperations.create(
    run,
    {
      agent_name: agent,
      session_id,
      purpose,
      title,
      task_id,
      metadata,
      project,
      supports_resume: false,
    },
    caller,
  );
  admit(created.entity_id);
  return AgentConversation.open(run, drivers, caller, created.session_id);
}

/** JavaScript callers can pass any value. */
function isKnown(input: unknown): boolean {
  return typeof input === "object" && input !== null && "id" in input;
}

export { titleOf };
