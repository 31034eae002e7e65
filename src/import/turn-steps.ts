import { hash } from "node:crypto";
import type { SessionCommand } from "../contract/commands.ts";
import type { Usage } from "../contract/events.ts";
import { SESSION_ID_PATTERN } from "../contract/id-pattern.ts";
import { LIMITS } from "../contract/limits.ts";
import type { TurnOutcome } from "../contract/vocabulary.ts";
import { finiteSum } from "../core/finite-sum.ts";
import type { PastStep } from "../service/import-session.ts";
import type { Item } from "./conversation.ts";
import { toolKind, toolTitle } from "./tool-kind.ts";

/** Another tool's id, if it is valid here; otherwise its digest. */
export function itemId(id: string): string {
  const fits = id.length <= LIMITS.ITEM_ID && SESSION_ID_PATTERN.test(id);
  return fits ? id : `i-${hash("sha256", id).slice(0, 32)}`;
}

/** The limits for one stored piece of text, and for one input or output, in characters. */
const PART = 256 * 1024;
const CONTENT = 1024 * 1024;

/**
 * Turns the items of one turn into commands, one by one. Nothing stays open: a call that never returned becomes
 * interrupted, because its result is unknown.
 */
export class TurnSteps {
  readonly #turn_id: string;
  #at: number;
  #part = 0;
  /** Calls that have not returned, with their ids here. */
  readonly #open = new Map<string, string>();
  /** Calls that wait for a free slot, oldest first, with their results if known. */
  readonly #waiting = new Map<string, SessionCommand[]>();
  #usage: Usage | null = null;
  #end: { outcome: TurnOutcome; error: string | null } | null = null;
  #saidMore = false;

  constructor(turn_id: string, at: number) {
    this.#turn_id = turn_id;
    this.#at = at;
  }

  start(content: string | null): PastStep {
    const text = content === null ? null : cut(content);
    return this.#step({ type: "start_turn", turn_id: this.#turn_id, content: text });
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
    const whole = text.toWellFormed();
    if (whole === "") return [];
    const item = this.#part;
    this.#part += 1;
    const steps: PastStep[] = [];
    for (let offset = 0; offset < whole.length; ) {
      const piece = pieceAt(whole, offset);
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
      details: { title: toolTitle(name, input), tool: name.slice(0, 200), input: bounded(input) },
    };
    if (this.#open.size >= LIMITS.OPEN_ACTIONS) {
      this.#waiting.set(id, [begin]);
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
      details: output === "" ? {} : { output: cut(output) },
    };
    const waiting = this.#waiting.get(id);
    if (waiting) {
      waiting.push(complete);
      return [];
    }
    if (!this.#open.delete(id))
      return this.#textSteps("note", `Result of ${action_id}: ${cut(output)}`);
    return [this.#step(complete), ...this.#admit()];
  }

  /** Starts waiting calls as long as there are free slots. */
  #admit(): PastStep[] {
    const steps: PastStep[] = [];
    for (const [id, commands] of this.#waiting) {
      if (this.#open.size >= LIMITS.OPEN_ACTIONS) break;
      this.#waiting.delete(id);
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
  const state = { summary: cut(summary) };
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

function cut(text: string): string {
  if (text.length <= CONTENT) return text.toWellFormed();
  return `${text.slice(0, CONTENT)}\n[${text.length - CONTENT} more characters in the original]`.toWellFormed();
}

function bounded(input: unknown): unknown {
  const text = JSON.stringify(input) ?? "null";
  return text.length <= CONTENT ? (input ?? null) : { cut: cut(text) };
}
