import type { ToolCall } from "../../agent/agent-connection.ts";
import type { SessionCommand } from "../../contract/commands.ts";
import { LIMITS } from "../../contract/limits.ts";
import type { Effects } from "../../contract/vocabulary.ts";
import { judgeEffects } from "../../core/recovery/judge-effects.ts";
import type { OpenCall } from "../../core/session/open-call.ts";
import { interrupted, judgeCall } from "../../core/session/open-call.ts";
import type { RecordedCall } from "./call-action.ts";
import { began, completed, detailsOf } from "./call-action.ts";

/** A call with streamed input may change with every word, so its descriptions are limited. */
const MOST_DESCRIPTIONS = 3;

/** The number of finished calls that are remembered, so that a late update does not reopen one. */
const KNOWN_CALLS = 256;

/**
 * Records the tool calls of an agent as actions: each starts once and ends once. A session has a limited number of open
 * actions; further calls are recorded as others end.
 */
export class RecordedCalls {
  readonly #push: (command: SessionCommand) => void;
  readonly #newId: () => string;
  readonly #effects: Readonly<Record<string, Effects>>;
  readonly #calls = new Map<string, RecordedCall>();

  constructor(
    push: (command: SessionCommand) => void,
    newId: () => string,
    effects: Readonly<Record<string, Effects>>,
  ) {
    this.#push = push;
    this.#newId = newId;
    this.#effects = effects;
  }

  /** Records the current state of a call, and if a person is asked about it. Returns its action's id. */
  hear(call: ToolCall, turn_id: string | null, asked = false): string {
    const recorded = this.#calls.get(call.tool_call_id) ?? this.#open(call, turn_id, asked);
    if (!recorded.open) return recorded.action_id;
    recorded.running ||= call.status === "in_progress";
    recorded.asked ||= asked;
    this.#describe(recorded, call, asked);
    if (isEnd(call)) {
      recorded.ended = completed(recorded, call);
      if (isBegun(recorded)) this.#end(recorded, recorded.ended);
    }
    this.#beginWaiting();
    return recorded.action_id;
  }

  /** Sets whether the agent waits for permission to start it. */
  awaitLeave(action_id: string, awaits: boolean): void {
    for (const call of this.#calls.values()) {
      if (call.action_id === action_id) call.awaited_leave = awaits;
    }
  }

  open(): readonly (OpenCall & { readonly running: boolean })[] {
    return [...this.#calls.values()].filter((call) => call.open);
  }

  /** The commands that close the open calls that `which` selects. */
  close(which: (call: { readonly running: boolean }) => boolean): SessionCommand[] {
    const closing = [...this.#calls.values()].filter((call) => call.open && which(call));
    // Calls that waited for a free slot get one when the others are closed.
    const order = [...closing.filter(isBegun), ...closing.filter((call) => !isBegun(call))];
    return order.flatMap((call) => {
      call.open = false;
      const end = call.ended ?? interrupted(call, judgeCall(call));
      return call.unbegun ? [call.unbegun, end] : [end];
    });
  }

  /** Some agents describe a call only after they have announced it. */
  #describe(recorded: RecordedCall, call: ToolCall, asked: boolean): void {
    const details = detailsOf(call, recorded.asked);
    const text = JSON.stringify([call.tool_kind, details]);
    const isEnough = recorded.descriptions >= MOST_DESCRIPTIONS && !asked;
    if (text === recorded.described || isEnough) return;
    recorded.described = text;
    recorded.title = call.title;
    if (!isBegun(recorded) || isEnd(call)) return;
    recorded.descriptions += 1;
    const { action_id } = recorded;
    this.#push({ type: "describe_action", action_id, details, ...this.#kindOf(recorded, call) });
  }

  /** The kind of the call, if it has ever changed. */
  #kindOf(recorded: RecordedCall, { tool_kind }: ToolCall) {
    recorded.changed_kind ||= tool_kind !== recorded.tool_kind;
    if (!recorded.changed_kind) return {};
    recorded.effects = judgeEffects(tool_kind, this.#effects);
    return { action_type: tool_kind, effects: recorded.effects };
  }

  #open(call: ToolCall, turn_id: string | null, asked: boolean): RecordedCall {
    const opened: OpenCall = {
      action_id: this.#newId(),
      turn_id,
      title: call.title,
      effects: judgeEffects(call.tool_kind, this.#effects),
      awaited_leave: false,
    };
    const recorded: RecordedCall = {
      ...opened,
      tool_kind: call.tool_kind,
      changed_kind: false,
      running: false,
      open: true,
      asked,
      unbegun: began(opened, call, asked),
      described: JSON.stringify([call.tool_kind, detailsOf(call, asked)]),
      descriptions: 0,
      ended: null,
    };
    this.#forgetOld();
    this.#calls.set(call.tool_call_id, recorded);
    return recorded;
  }

  #beginWaiting(): void {
    const open = [...this.#calls.values()].filter((call) => call.open);
    let room = LIMITS.OPEN_ACTIONS - open.filter(isBegun).length;
    for (const call of open) {
      if (room <= 0) return;
      if (call.unbegun === null) continue;
      this.#push(call.unbegun);
      call.unbegun = null;
      if (call.ended) this.#end(call, call.ended);
      else room -= 1;
    }
  }

  #end(call: RecordedCall, command: SessionCommand): void {
    call.open = false;
    this.#push(command);
  }

  #forgetOld(): void {
    if (this.#calls.size < KNOWN_CALLS) return;
    for (const [id, call] of this.#calls) if (!call.open) this.#calls.delete(id);
  }
}

function isEnd({ status }: ToolCall): boolean {
  return status === "completed" || status === "failed";
}

function isBegun({ unbegun }: RecordedCall): boolean {
  return unbegun === null;
}
