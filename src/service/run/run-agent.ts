import type { RunEvent } from "../../contract/run-event.ts";
import { cutText } from "../../core/text-size.ts";
import type { Caller } from "../context.ts";
import { findProject } from "../find-project.ts";
import { sessionOperations } from "../operations/sessions.ts";
import { Conversation } from "./conversation.ts";
import type { Drivers } from "./drivers.ts";
import { concernsAll, endsTurn } from "./follow-turn.ts";
import type { RunContext } from "./run-context.ts";

/** A new session of an agent, or one that there is. */
export type Place =
  | {
      readonly agent: string;
      readonly session_id?: string;
      readonly purpose?: string;
      readonly title?: string;
      readonly task_id?: string;
      readonly metadata?: Record<string, unknown>;
      readonly cwd?: string;
    }
  | { readonly id: string };
export type RunInput = Place & { readonly message: string };

/**
 * Sends a message and tells what happens until its turn is over or the session is suspended. Whoever stops listening
 * before that interrupts the turn.
 */
export async function* runAgent(
  run: RunContext,
  drivers: Drivers,
  caller: Caller,
  input: RunInput,
): AsyncGenerator<RunEvent> {
  const place = "agent" in input ? { title: titleOf(input.message), ...input } : input;
  const conversation = await openConversation(run, drivers, caller, place);
  let over = false;
  let turn_id: string | null = null;
  try {
    await conversation.takeUp();
    turn_id = await conversation.send(input.message);
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

/** Nothing is begun for an agent that cannot be run here. */
export async function openConversation(
  run: RunContext,
  drivers: Drivers,
  caller: Caller,
  place: Place,
): Promise<Conversation> {
  if ("id" in place) return Conversation.open(run, drivers, caller, place.id);
  const { agent, session_id, purpose, title, task_id, metadata = {}, cwd = process.cwd() } = place;
  await run.findAgent(agent, cwd);
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
  return Conversation.open(run, drivers, caller, created.session_id);
}

/** A session is called by what it was begun with, until someone gives it a name. */
export function titleOf(message: string): string {
  return cutText(message.trim().split("\n", 1)[0] ?? "", TITLE_BYTES);
}
const TITLE_BYTES = 80;
