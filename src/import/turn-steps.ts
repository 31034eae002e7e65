import type { SessionCommand } from "../contract/commands.ts";
import type { Usage } from "../contract/events.ts";
import { LIMITS } from "../contract/limits.ts";
import type { TurnOutcome } from "../contract/vocabulary.ts";
import { finiteSum } from "../core/finite-sum.ts";
import { jsonBytes } from "../core/text-size.ts";
import type { PastStep } from "../service/import-session.ts";
import { itemId } from "./bound-item.ts";
import type { Item } from "./conversation.ts";
import { toolKind, toolTitle } from "./tool-kind.ts";

/** The limit for one stored piece of text, in characters. */
const PART = 256 * 1024;

/**
 * Turns the items of one turn into commands, one by one. Nothing stays open: a call that never returned becomes
 * interrupted, because its result is unknown. The items are bounded before.
 */
export class TurnSteps {
  readonly #turn_id: string;
  #at: number;
  #part = 0;
  /** Calls that have not returned, with their ids here. */
  readonly #open = new Map<string, string>();
  /** Calls that wait for a free slot, oldest first, with their results if known. */
  readonly #waiting = new Map<string, SessionCommand[]>();
  #waitingBytes = 0;
  #usage: Usage | null = null;
  #end: { outcome: TurnOutcome; error: string | null } | null = null;
  #saidMore = false;

  constructor(turn_id: string, at: number) {
    this.#turn_id = turn_id;
    this.#at = at;
  }

  start(content: string | null): PastStep {
    return this.#step({ type: "start_turn", turn_id: this.#turn_id, content });
  }

  add(item: Item): PastStep[] {
    this.#at = Math.max(this.#at, item.at ?? this.#at);
    switch (item.kind) {
      case "prompt":
        return item.text === null ? [] : this.#textSteps("note", item.text);
      case "said":
        this.#saidMore = true;
        return this.#textSteps(item.as, item.text);
      case "called":
        this.#saidMore = true;
        return this.#call(item);
      case "returned":
        this.#saidMore = true;
        return this.#return(item);
      case "compacted":
        return [this.#step(checkpointOf(item))];
      case "used":
        this.#usage = addUsage(this.#usage, item.usage);
        return [];
      case "ended":
        this.#end = { outcome: item.outcome, error: item.error };
        this.#saidMore = false;
        return [];
      default:
        return item satisfies never;
    }
  }

  /** The calls that wait, with their sizes: they are part of no step yet. */
  get waiting(): { readonly count: number; readonly bytes: number } {
    return { count: this.#waiting.size, bytes: this.#waitingBytes };
  }

  get hasOpenCalls(): boolean {
    return this.#open.size + this.#waiting.size > 0;
  }

  /** Ends the turn. `goesOn` is set if more of it follows. */
  end(goesOn: boolean): PastStep[] {
    const isCut = this.hasOpenCalls;
    const steps = [...this.#open.values()].map((id) => this.#step(interrupted(id)));
    for (const commands of this.#waiting.values()) {
      steps.push(...commands.map((command) => this.#step(command)));
      const [begun] = commands;
      if (commands.length === 1 && begun?.type === "begin_action") {
        steps.push(this.#step(interrupted(begun.action_id)));
      }
    }
    const { outcome, error } = (!this.#saidMore && this.#end) || {
      outcome: isCut && !goesOn ? "interrupted" : "completed",
      error: null,
    };
    const usage = this.#usage;
    return [
      ...steps,
      this.#step({ type: "end_turn", turn_id: this.#turn_id, outcome, error, usage }),
    ];
  }

  get at(): number {
    return this.#at;
  }

  #textSteps(kind: "message" | "thought" | "plan" | "note", text: string): PastStep[] {
    if (text === "") return [];
    const item = this.#part;
    this.#part += 1;
    const steps: PastStep[] = [];
    for (let offset = 0; offset < text.length; ) {
      const piece = pieceAt(text, offset);
      const turn_id = this.#turn_id;
      steps.push(this.#step({ type: "append_part", turn_id, item, kind, offset, text: piece }));
      offset += piece.length;
    }
    return steps;
  }

  #call({ id, name, input }: Extract<Item, { kind: "called" }>): PastStep[] {
    if (this.#open.has(id) || this.#waiting.has(id)) return [];
    const { kind, effects } = toolKind(name);
    const action_id = itemId(id);
    const begin: SessionCommand = {
      type: "begin_action",
      ...{ action_id, turn_id: this.#turn_id, action_type: kind, effects },
      ...{ idempotent: false, idempotency_key: null, detachable: false, orphanable: false },
      ...{ rollback: [], process: null },
      details: { title: toolTitle(name, input), tool: name, input },
    };
    if (this.#open.size >= LIMITS.OPEN_ACTIONS) {
      this.#waiting.set(id, [begin]);
      this.#waitingBytes += jsonBytes(begin);
      return [];
    }
    this.#open.set(id, action_id);
    return [this.#step(begin)];
  }

  #return({ id, failed, output }: Extract<Item, { kind: "returned" }>): PastStep[] {
    const action_id = itemId(id);
    const complete: SessionCommand = {
      type: "complete_action",
      action_id,
      status: failed ? "failed" : "completed",
      result: failed ? "failed" : "success",
      details: output === "" ? {} : { output },
    };
    const waiting = this.#waiting.get(id);
    if (waiting) {
      waiting.push(complete);
      this.#waitingBytes += jsonBytes(complete);
      return [];
    }
    if (!this.#open.delete(id)) return this.#textSteps("note", `Result of ${action_id}: ${output}`);
    return [this.#step(complete), ...this.#admit()];
  }

  /** Starts waiting calls as long as there are free slots. */
  #admit(): PastStep[] {
    const steps: PastStep[] = [];
    for (const [id, commands] of this.#waiting) {
      if (this.#open.size >= LIMITS.OPEN_ACTIONS) break;
      this.#waiting.delete(id);
      for (const command of commands) this.#waitingBytes -= jsonBytes(command);
      steps.push(...commands.map((command) => this.#step(command)));
      if (commands.length === 1) this.#open.set(id, itemId(id));
    }
    return steps;
  }

  #step(command: SessionCommand): PastStep {
    return { at: this.#at, commands: [command] };
  }
}

function interrupted(action_id: string): SessionCommand {
  const details = { outcome: "unknown" };
  return { type: "complete_action", action_id, status: "interrupted", result: "unknown", details };
}

function checkpointOf({ id, summary }: Extract<Item, { kind: "compacted" }>): SessionCommand {
  const checkpoint_id = itemId(id);
  const state = { summary };
  return { type: "save_checkpoint", checkpoint_id, name: `compact-${checkpoint_id}`, state };
}

function addUsage(sum: Usage | null, more: Usage): Usage {
  return {
    input_tokens: finiteSum(sum?.input_tokens ?? 0, more.input_tokens),
    output_tokens: finiteSum(sum?.output_tokens ?? 0, more.output_tokens),
    cost_usd: finiteSum(sum?.cost_usd ?? 0, more.cost_usd),
  };
}

/** Never splits a character. */
function pieceAt(text: string, offset: number): string {
  const end = offset + PART;
  const code = text.charCodeAt(end - 1);
  const splits = end < text.length && code >= 0xd800 && code <= 0xdbff;
  return text.slice(offset, splits ? end - 1 : end);
}
