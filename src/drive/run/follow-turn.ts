import type { RunEvent } from "../../contract/run-event.ts";
import { createRunEvents } from "../../core/view/run-events.ts";
import { findSession } from "../../service/read/find-session.ts";
import type { Caller, ServiceContext } from "../../service/service-context.ts";
import type { Drivers } from "./drivers.ts";
import { keepDriven } from "./keep-driven.ts";
import type { RunContext } from "./run-context.ts";
import { watchSession } from "./watch-session.ts";

/** A message that is in the log, as `send_message` answered it, be it for the first time or again. */
export interface SentMessage {
  readonly session_id: string;
  readonly turn_id: string;
  readonly seq: number;
}

/** How doors follow messages. */
export interface TurnAccess {
  /** What becomes of a message, until its turn is over. To stop listening changes nothing. */
  followTurn(caller: Caller, sent: SentMessage, signal: AbortSignal): AsyncGenerator<RunEvent>;
  /** The end of a message's turn, not waited for longer than `ms`, nor when a person has to answer first. */
  awaitTurn(
    caller: Caller,
    sent: SentMessage,
    ms: number,
    signal: AbortSignal,
  ): Promise<TurnAnswer>;
  /** Throws where no such agent can be run in this folder. */
  expectAgent(name: string, cwd: string): Promise<void>;
}

/**
 * What becomes of a message, from its own place in the log on, until its turn is over, or the session is suspended or
 * ended before it began. Someone works on it as long as someone listens; to stop listening changes nothing.
 */
export async function* followTurn(
  run: RunContext,
  drivers: Drivers,
  caller: Caller,
  sent: SentMessage,
  signal: AbortSignal,
): AsyncGenerator<RunEvent> {
  const { session_id, turn_id } = sent;
  const find = () => findSent(run, caller, sent);
  const { id } = (await find()).stream;
  const failed = new AbortController();
  const stopKeeping = keepDriven(drivers, find, (error) => failed.abort(error));
  const tell = createRunEvents(session_id);
  let begun = false;
  try {
    const both = AbortSignal.any([signal, failed.signal]);
    for await (const item of watchSession(run, run.live, id, sent.seq - 1, both)) {
      for (const event of tell(item)) {
        begun ||= event.type === "started" && event.turn_id === turn_id;
        // Of a message that is followed again, a pause may long be over.
        if (event.type === "suspended" && !begun && (await find()).head.status !== "suspended") {
          continue;
        }
        const over = endsTurn(event, turn_id, begun);
        if (begun || over || concernsAll(event, turn_id)) yield event;
        if (over) return;
      }
    }
    failed.signal.throwIfAborted();
  } finally {
    stopKeeping();
  }
}

/** The session of a message that was taken: the caller's own, or, as OWNER/ID, one that was shared with them. */
export function findSent(run: ServiceContext, caller: Caller, { session_id }: SentMessage) {
  const slash = session_id.indexOf("/");
  const owner = slash < 0 ? caller.owner : session_id.slice(0, slash);
  return findSession(run, owner, session_id.slice(slash + 1));
}

/** How it ended, or why its end is not waited for: `null` where only time will tell. */
type TurnAnswer =
  | { readonly content: string; readonly status: string }
  | { readonly failure: string }
  | { readonly waits_for: string | null };

/** The end of a message's turn. Not waited for longer than `ms`, nor when a person has to answer first. */
export async function awaitTurn(
  run: RunContext,
  drivers: Drivers,
  caller: Caller,
  sent: SentMessage,
  ms: number,
  signal: AbortSignal,
): Promise<TurnAnswer> {
  const { turn_id } = sent;
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(), ms);
  let begun = false;
  let content = "";
  try {
    const either = AbortSignal.any([signal, late.signal]);
    for await (const event of followTurn(run, drivers, caller, sent, either)) {
      switch (event.type) {
        case "started":
          begun ||= event.turn_id === turn_id;
          break;
        case "message":
          content += event.text;
          break;
        case "permission": {
          const { head } = await findSent(run, caller, sent);
          const open = head.approvals.some(({ id }) => id === event.approval_id);
          if (begun && open) return { waits_for: event.approval_id };
          break;
        }
        case "completed":
          return { content, status: event.outcome };
        case "error":
          if (event.turn_id === turn_id) return { failure: event.message };
          break;
        case "ended":
          return { content, status: event.status };
        default:
      }
    }
    return { waits_for: null };
  } finally {
    clearTimeout(timer);
  }
}

export function endsTurn(event: RunEvent, turn_id: string, begun: boolean): boolean {
  switch (event.type) {
    case "completed":
    case "error":
      return event.turn_id === turn_id;
    case "suspended":
      // A turn that runs is ended after that, and its end is worth hearing.
      return !begun;
    case "ended":
      return true;
    default:
      return false;
  }
}

/** What is told before the turn has begun: another's may still run. */
export function concernsAll(event: RunEvent, turn_id: string): boolean {
  if (event.type === "queued") return event.turn_id === turn_id;
  return event.type === "permission" || event.type === "answered";
}
