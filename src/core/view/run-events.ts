import type { SessionEvent } from "../../contract/events.ts";
import { isRecord } from "../../contract/is-record.ts";
import type { Delta, PlanLine, RunEvent } from "../../contract/run-event.ts";
import type { FileDiff } from "../../contract/session.ts";
import type { Effects } from "../../contract/vocabulary.ts";

type Body<T extends RunEvent = RunEvent> = T extends RunEvent ? Omit<T, "session_id"> : never;

/**
 * Creates a function that turns stored events and unstored text pieces of a session into run
 * events. Each piece of text comes out once: a stored part adds only the text that no delta has
 * sent, and the other way round.
 */
export function createRunEvents(session_id: string): (item: SessionEvent | Delta) => RunEvent[] {
  const text = new ToldText();
  const calls = new Map<string, Call>();
  const queued = new Map<string, string>();
  const toBodies = (event: SessionEvent): Body[] => {
    switch (event.type) {
      case "message.queued":
        queued.set(event.data.turn_id, event.data.content);
        return [{ type: "queued", turn_id: event.data.turn_id, content: event.data.content }];
      case "turn.started": {
        const { turn_id } = event.data;
        const content = event.data.content ?? queued.get(turn_id) ?? null;
        queued.delete(turn_id);
        text.begin(turn_id);
        return [{ type: "started", turn_id, content }];
      }
      case "turn.part":
        return toPartEvents(event.data, text);
      case "turn.ended": {
        const { turn_id, outcome, error, usage } = event.data;
        queued.delete(turn_id);
        return outcome === "failed"
          ? [{ type: "error", turn_id, message: error ?? "the turn failed" }]
          : [{ type: "completed", turn_id, outcome, usage }];
      }
      case "action.started": {
        const { action_id, type, effects, details } = event.data;
        const call = { tool: type, title: textOf(details.title) ?? type, effects };
        calls.set(action_id, call);
        return [begunCall(action_id, call, details.input ?? null)];
      }
      case "action.described": {
        const { action_id, details, type, effects } = event.data;
        const known = calls.get(action_id) ?? UNSEEN;
        const call = {
          tool: type ?? known.tool,
          title: textOf(details.title) ?? known.title,
          effects: effects ?? known.effects,
        };
        calls.set(action_id, call);
        return [begunCall(action_id, call, details.input ?? null)];
      }
      case "action.completed": {
        const { action_id, status, result, details } = event.data;
        const call = calls.get(action_id) ?? UNSEEN;
        calls.delete(action_id);
        return [
          {
            type: "tool_call",
            action_id,
            ...call,
            title: textOf(details.title) ?? call.title,
            status,
            input: null,
            result,
            output: outputOf(details),
            diffs: diffsOf(details.diffs),
          },
        ];
      }
      case "approval.requested": {
        const { approval_id, kind, title, body, action_id } = event.data;
        const { options = [], choices = [], missing_choices = 0 } = event.data;
        const offered = { options, choices, missing_choices };
        return [{ type: "permission", approval_id, kind, title, body, action_id, ...offered }];
      }
      case "approval.decided": {
        const { approval_id, decision, note, choice = null } = event.data;
        return [{ type: "answered", approval_id, decision, note, choice }];
      }
      case "approval.expired": {
        const { approval_id, reason } = event.data;
        const expired = { decision: "expired", note: reason, choice: null } as const;
        return [{ type: "answered", approval_id, ...expired }];
      }
      case "agent.started":
        return [{ type: "agent", state: "started", how: event.data.way }];
      case "agent.stopped":
        return [{ type: "agent", state: "stopped", how: event.data.reason }];
      case "session.suspended": {
        const { reason, checkpoint_id } = event.data;
        return [{ type: "suspended", reason, checkpoint_id }];
      }
      case "session.resumed":
        return [{ type: "resumed", interface: event.data.interface }];
      case "error.recorded":
        return [{ type: "error", turn_id: null, message: event.data.error }];
      case "session.completed":
        return [{ type: "ended", status: "completed" }];
      case "session.failed":
        return [{ type: "ended", status: "failed" }];
      case "session.cancelled":
        return [{ type: "ended", status: "cancelled" }];
      case "session.archived":
        return [{ type: "ended", status: "archived" }];
      default:
        return [];
    }
  };
  return (item) => {
    const told = "seq" in item ? toBodies(item) : text.toLiveEvents(item);
    return told.map((body): RunEvent => ({ ...body, session_id }));
  };
}

interface Call {
  readonly tool: string;
  readonly title: string;
  readonly effects: Effects | null;
}
function begunCall(action_id: string, call: Call, input: unknown): Body {
  const nothing = { result: null, output: null, diffs: [] };
  return { type: "tool_call", action_id, ...call, status: "started", input, ...nothing };
}

const UNSEEN: Call = { tool: "tool", title: "a tool call", effects: null };

/** Counts how much text of each item of the running turn was already sent. */
class ToldText {
  #turn = "";
  readonly #told = new Map<number, number>();

  begin(turn_id: string): void {
    this.#turn = turn_id;
    this.#told.clear();
  }

  /** A delta that does not continue the sent text is skipped; the log has all of it. */
  toLiveEvents(delta: Delta): Body[] {
    const told = delta.turn_id === this.#turn ? (this.#told.get(delta.item) ?? 0) : 0;
    return delta.offset > told ? [] : this.toNewText(delta);
  }

  toNewText(piece: Omit<Delta, "after">): Body[] {
    const { turn_id, item, offset, text, kind } = piece;
    if (turn_id !== this.#turn) this.begin(turn_id);
    const from = Math.max(offset, this.#told.get(item) ?? 0);
    const news = text.slice(from - offset);
    if (news === "") return [];
    this.#told.set(item, from + news.length);
    return [{ type: kind, turn_id, item, offset: from, text: news }];
  }
}

function toPartEvents(
  part: Extract<SessionEvent, { type: "turn.part" }>["data"],
  text: ToldText,
): Body[] {
  const { kind, turn_id } = part;
  if (kind === "note") return [{ type: "note", text: part.text }];
  if (kind === "plan") return [{ type: "plan", turn_id, entries: planOf(part.text) }];
  return text.toNewText({ ...part, kind });
}

/** The plan of an agent, parsed from the text of a part of kind `plan`. */
export function planOf(text: string): PlanLine[] {
  const parsed: unknown = JSON.parse(text);
  if (!Array.isArray(parsed)) return [];
  return parsed.filter(isRecord).map(({ content, status }) => ({
    content: textOf(content) ?? "",
    status: status === "completed" || status === "in_progress" ? status : "pending",
  }));
}

/** The output of a call; for an interrupted call, the explanation of the interruption. */
export function outputOf(details: Readonly<Record<string, unknown>>): string | null {
  return textOf(details.output) ?? textOf(details.means);
}

export function diffsOf(value: unknown): FileDiff[] {
  if (!Array.isArray(value)) return [];
  return value.filter(isRecord).map(({ path, before, after }) => ({
    path: textOf(path) ?? "",
    before: textOf(before),
    after: textOf(after) ?? "",
  }));
}

function textOf(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}
