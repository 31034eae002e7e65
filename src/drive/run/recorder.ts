import type { AgentUpdate, ToolCall } from "../../agent/agent-connection.ts";
import type { SessionCommand } from "../../contract/commands.ts";
import type { Delta } from "../../contract/run-event.ts";
import type { Effects } from "../../contract/vocabulary.ts";
import type { OpenCall } from "../../core/session/open-call.ts";
import { RecordedCalls } from "./recorded-calls.ts";

interface RecorderSurroundings {
  /** Keeps the commands, all or none, and answers how far the log has come. */
  write(commands: readonly SessionCommand[]): Promise<number>;
  publish(delta: Delta): void;
  stored(item: number, upTo: number): void;
  newId(): string;
  onFailure(error: unknown): void;
  readonly effects: Readonly<Record<string, Effects>>;
  readonly flush: { readonly ms: number; readonly chars: number };
}

/**
 * Turns what an agent does into what is kept of it, in order: text at once to those who listen and in coalesced parts
 * to the log, tool calls as actions. What follows an entry of the log is told after that entry is durable.
 */
export class Recorder {
  readonly #to: RecorderSurroundings;
  readonly #queue: Entry[] = [];
  #pumping: Promise<void> | null = null;
  #failed = false;
  #seq = 0;
  #turn: { readonly id: string; items: number } | null = null;
  /** Also after it has ended: what its agent does then is still ours to settle. */
  #mode: string | null = null;
  #lastTurn: string | null = null;
  #item: OpenItem | null = null;
  #timer: NodeJS.Timeout | undefined;
  readonly #calls: RecordedCalls;
  #cost = { told: 0, taken: 0 };
  #costBefore = 0;

  constructor(to: RecorderSurroundings) {
    this.#to = to;
    this.#calls = new RecordedCalls((command) => this.#push({ command }), to.newId, to.effects);
  }

  /** Does nothing for the turn that has begun already. */
  beginTurn(turn_id: string, seq: number): void {
    if (this.#turn?.id === turn_id) return;
    this.#turn = { id: turn_id, items: 0 };
    this.#lastTurn = turn_id;
    this.#seq = Math.max(this.#seq, seq);
  }

  /** The promise is open as long as more waits to be kept than need be. */
  async hear(update: AgentUpdate): Promise<void> {
    this.#record(update);
    if (this.#queue.length > MANY_WAITING) await this.#pumping;
  }

  #record(update: AgentUpdate): void {
    switch (update.kind) {
      case "message":
      case "thought":
        this.#say(update.kind, update.text);
        break;
      case "plan":
        this.#part("plan", JSON.stringify(update.entries));
        break;
      case "tool":
        this.#call(update.call);
        break;
      case "usage":
        if (update.cost_usd !== null) this.#hearCost(update.cost_usd);
        break;
      case "mode":
        // The one that it begins with is no news.
        if (this.#mode !== null && update.mode !== this.#mode) {
          this.#part("note", `mode: ${update.mode}`);
        }
        this.#mode = update.mode;
        break;
      case "other":
        this.#part("note", `the agent sent something of an unknown kind: ${describe(update)}`);
        break;
      case "title":
        break;
      default:
        update satisfies never;
    }
  }

  note(text: string): void {
    this.#part("note", text);
  }

  /** The action that stands for a tool call that a person is asked about; recorded now if it was not before. */
  actionOf(call: ToolCall): string {
    return this.#call(call, true);
  }

  /** Whether the agent waits for permission to start it. */
  awaitLeave(action_id: string, awaits: boolean): void {
    this.#calls.awaitLeave(action_id, awaits);
  }

  openCalls(): readonly (OpenCall & { readonly running: boolean })[] {
    return this.#calls.open();
  }

  /** What the calls that are left open come to, as far as `which` says. */
  closeCalls(which: (call: { readonly running: boolean }) => boolean): SessionCommand[] {
    return this.#calls.close(which);
  }

  /** Everything that was heard is in the log. */
  async settle(): Promise<void> {
    this.#closeItem();
    while (this.#pumping) await this.#pumping;
  }

  endTurn(): void {
    this.#turn = null;
  }

  /** For an agent that came back: some count on from what they have told before, some from nothing. */
  expectCost(before: number): void {
    this.#costBefore = before;
  }

  #hearCost(cost: number): void {
    if (cost + CENT_OF_A_CENT >= this.#costBefore) {
      this.#cost.taken = Math.max(this.#cost.taken, this.#costBefore);
    }
    this.#costBefore = 0;
    this.#cost.told = Math.max(this.#cost.told, cost);
  }

  /** What the agent says it has cost since the last time it was asked. */
  takeCost(): number {
    const cost = Math.max(0, this.#cost.told - this.#cost.taken);
    this.#cost.taken = Math.max(this.#cost.told, this.#cost.taken);
    return Math.round(cost * 1e9) / 1e9;
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#failed = true;
    this.#queue.length = 0;
  }

  #say(kind: "message" | "thought", text: string): void {
    if (!this.#turn || text === "") return;
    if (this.#item?.kind !== kind) {
      this.#closeItem();
      this.#item = { nth: this.#turn.items++, kind, length: 0, stored: 0, waiting: "" };
    }
    const item = this.#item;
    const delta = { turn_id: this.#turn.id, item: item.nth, kind, offset: item.length, text };
    item.length += text.length;
    item.waiting += text;
    this.#push({ delta });
    if (item.waiting.length >= this.#to.flush.chars) this.#flush();
    else this.#timer ??= setTimeout(() => this.#flush(), this.#to.flush.ms);
  }

  #part(kind: "plan" | "note", text: string): void {
    if (!this.#turn) return;
    this.#closeItem();
    const { id: turn_id } = this.#turn;
    const item = this.#turn.items++;
    this.#push({ command: { type: "append_part", turn_id, item, kind, offset: 0, text } });
  }

  /** Its action's id. */
  #call(call: ToolCall, asked = false): string {
    this.#closeItem();
    return this.#calls.hear(call, this.#lastTurn, asked);
  }

  #closeItem(): void {
    this.#flush();
    this.#item = null;
  }

  #flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const item = this.#item;
    if (!item || !this.#turn || item.waiting === "") return;
    const { nth, kind, waiting } = item;
    const turn_id = this.#turn.id;
    item.waiting = "";
    for (const text of pieces(waiting)) {
      const offset = item.stored;
      item.stored += text.length;
      this.#push({ command: { type: "append_part", turn_id, item: nth, kind, offset, text } });
    }
  }

  #push(entry: Entry): void {
    if (this.#failed) return;
    this.#queue.push(entry);
    this.#pumping ??= this.#pump();
  }

  /** Over in the same moment in which nothing waits any more: what comes later begins another. */
  async #pump(): Promise<void> {
    // Not before the caller that starts it has its promise.
    await Promise.resolve();
    try {
      for (;;) {
        const commands = this.#publishUpToCommands();
        if (commands.length === 0) return;
        this.#seq = await this.#to.write(commands);
        for (const command of commands) {
          if (command.type !== "append_part") continue;
          this.#to.stored(command.item, command.offset + command.text.length);
        }
      }
    } catch (error) {
      this.stop();
      this.#to.onFailure(error);
    } finally {
      this.#pumping = null;
    }
  }

  /** Takes the commands that stand together next, after what is only told and stands before them. */
  #publishUpToCommands(): SessionCommand[] {
    const commands: SessionCommand[] = [];
    for (let entry = this.#queue[0]; entry; entry = this.#queue[0]) {
      if ("command" in entry) commands.push(entry.command);
      else if (commands.length > 0) break;
      else this.#to.publish({ ...entry.delta, after: this.#seq });
      this.#queue.shift();
    }
    return commands;
  }
}

const MANY_WAITING = 64;

/** As much as an event holds in every script, however it has to be escaped. */
const PIECE_CHARS = 256 * 1024;
const EXCERPT_CHARS = 200;
/** Sums of dollars that differ by less are the same. */
const CENT_OF_A_CENT = 0.000_1;

function pieces(text: string): string[] {
  if (text.length <= PIECE_CHARS) return [text];
  const count = Math.ceil(text.length / PIECE_CHARS);
  return Array.from({ length: count }, (_, nth) =>
    text.slice(nth * PIECE_CHARS, (nth + 1) * PIECE_CHARS),
  );
}

function describe({ name, excerpt }: Extract<AgentUpdate, { kind: "other" }>): string {
  return excerpt === "" ? name : `${name} (${excerpt.slice(0, EXCERPT_CHARS)})`;
}

type Entry = { readonly command: SessionCommand } | { readonly delta: Omit<Delta, "after"> };

interface OpenItem {
  readonly nth: number;
  readonly kind: "message" | "thought";
  length: number;
  stored: number;
  waiting: string;
}
