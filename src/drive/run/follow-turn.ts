import type { RunEvent } from "../../contract/run-event.ts";
import { createRunEvents } from "../../core/view/run-events.ts";
import { findSession } from "../../service/read/find-session.ts";
import type { Caller, ServiceContext } from "../../service/service-context.ts";
import { withPositions } from "../live/with-positions.ts";
import type { Drivers } from "./drivers.ts";
import { ensureDriven } from "./ensure-driven.ts";
import type { RunContext } from "./run-context.ts";
import { watchSession } from "./watch-session.ts";

/** A message in the log, as `send_message` returned it, the first time or repeated. */
export interface SentMessage {
  readonly session_id: string;
  readonly turn_id: string;
  readonly seq: number;
  readonly queue_position?: number | undefined;
}

/** The functions with which interfaces follow messages. */
export interface TurnAccess {
  /** The events of a message until its turn ends. Disconnecting does not stop the turn. */
  followTurn(caller: Caller, sent: SentMessage, signal: AbortSignal): AsyncGenerator<RunEvent>;
  /** Waits for the end of a message's turn, at most `ms`, and not while a person must answer first. */
  awaitTurn(
    caller: Caller,
    sent: SentMessage,
    ms: number,
    signal: AbortSignal,
  ): Promise<TurnAnswer>;
  /**
   * Throws if the agent cannot be run for this owner in this folder, or never without a person's answer. Call the
   * returned function with the new session's entity id, so that its first message is not refused afterwards.
   */
  expectAgent(owner: string, name: string, cwd: string): Promise<(id: string) => void>;
}

/**
 * The events of a message from its place in the log until its turn ends, or the session is suspended or ended before
 * the turn starts. While someone listens, a driver works on it; disconnecting does not stop the turn.
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
  const over = new AbortController();
  const stopKeeping = ensureDriven(drivers, find, (error) => failed.abort(error));
  const toRunEvents = createRunEvents(session_id);
  let begun = false;
  try {
    const any = AbortSignal.any([signal, failed.signal, over.signal]);
    const items = watchSession(run, run.live, id, sent.seq - 1, any);
    for await (const item of withPositions(drivers.queue, id, items)) {
      if ("position" in item) {
        if (!begun) yield { ...item, session_id };
        continue;
      }
      for (const event of toRunEvents(item)) {
        begun ||= event.type === "started" && event.turn_id === turn_id;
        // When a message is followed again, an earlier suspension may be over.
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
    over.abort();
    stopKeeping();
  }
}

/** The session of an accepted message: the caller's own or, as OWNER/ID, a shared one. */
export function findSent(run: ServiceContext, caller: Caller, { session_id }: SentMessage) {
  const slash = session_id.indexOf("/");
  const owner = slash < 0 ? caller.owner : session_id.slice(0, slash);
  return findSession(run, owner, session_id.slice(slash + 1));
}

/** The result of a turn, or the reason for not waiting; `null` if it only takes more time. */
type TurnAnswer =
  | { readonly content: string; readonly status: string }
  | { readonly failure: string }
  | { readonly waits_for: string | null };

/** Waits for the end of a message's turn, at most `ms`, and not while a person must answer first. */
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
      // A running turn ends after a suspension, and its end is reported.
      return !begun;
    case "ended":
      return true;
    default:
      return false;
  }
}

/** True for events to report before the turn starts, when another turn may still run. */
export function concernsAll(event: RunEvent, turn_id: string): boolean {
  if (event.type === "queued") return event.turn_id === turn_id;
  if (event.type === "waiting") return true;
  return event.type === "permission" || event.type === "answered";
}
