import type { AgentUpdate, ToolCall } from "../../agent/agent-connection.ts";
import type { SessionCommand } from "../../contract/commands.ts";
import type { Delta } from "../../contract/run-event.ts";
import { shortenText } from "../../contract/visible-text.ts";
import type { Effects } from "../../contract/vocabulary.ts";
import type { OpenCall } from "../../core/session/open-call.ts";
import type { HeldText } from "../../redaction/held-text.ts";
import type { StoredRedaction } from "../../redaction/stored-redaction.ts";
import { RecordedCalls } from "./recorded-calls.ts";

interface RecorderSurroundings {
  /** Stores the commands, all or none, and returns the seq of the log. */
  write(commands: readonly SessionCommand[]): Promise<number>;
  publish(delta: Delta): void;
  /** The item is in the log up to this offset, and the log up to this seq. */
  stored(item: number, upTo: number, seq: number): void;
  newId(): string;
  onFailure(error: unknown): void;
  readonly effects: Readonly<Record<string, Effects>>;
  /** Replaces secrets in the text of answers, also where they are cut in two. */
  readonly redaction?: StoredRedaction | undefined;
  readonly flush: { readonly ms: number; readonly chars: number };
}

/**
 * Records an agent's work in order: text goes to listeners at once and to the log in larger parts, tool calls become
 * actions. Text that follows a log entry is sent after that entry is durable.
 */
export class Recorder {
  readonly #to: RecorderSurroundings;
  readonly #queue: Entry[] = [];
  #pumping: Promise<void> | null = null;
  #failed = false;
  #seq = 0;
  #turn: { readonly id: string; items: number } | null = null;
  /** Stays set after the turn has ended, because later work of the agent still belongs to it. */
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

  /** Does nothing if the turn has already started. */
  beginTurn(turn_id: string, seq: number): void {
    if (this.#turn?.id === turn_id) return;
    this.#turn = { id: turn_id, items: 0 };
    this.#lastTurn = turn_id;
    this.#seq = Math.max(this.#seq, seq);
  }

  /** The promise stays pending while too many entries wait to be stored. */
  async hear(update: AgentUpdate): Promise<void> {
    this.#record(update);
    if (this.#queue.length > MANY_WAITING) await this.#pumping;
  }

  #record(update: AgentUpdate): void {
    switch (update.kind) {
      case "message":
      case "thought":
        this.#addText(update.kind, update.text);
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
        // The first mode is not a change.
        if (this.#mode !== null && update.mode !== this.#mode) {
          this.#part("note", `mode: ${update.mode}`);
        }
        this.#mode = update.mode;
        break;
      case "other":
        this.#part("note", `the agent sent an update of an unknown kind: ${describe(update)}`);
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

  /** The action of a tool call that a person is asked about; recorded now if it is new. */
  actionOf(call: ToolCall): string {
    return this.#call(call, true);
  }

  /** Sets whether the agent waits for permission to start it. */
  awaitLeave(action_id: string, awaits: boolean): void {
    this.#calls.awaitLeave(action_id, awaits);
  }

  openCalls(): readonly (OpenCall & { readonly running: boolean })[] {
    return this.#calls.open();
  }

  /** The commands that close the open calls that `which` selects. */
  closeCalls(which: (call: { readonly running: boolean }) => boolean): SessionCommand[] {
    return this.#calls.close(which);
  }

  /** Resolves when everything received is in the log. */
  async settle(): Promise<void> {
    this.#closeItem();
    while (this.#pumping) await this.#pumping;
  }

  endTurn(): void {
    this.#turn = null;
  }

  /** Call for a reopened agent: some continue their earlier count, some start from zero. */
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

  /** The reported cost since the last call. */
  costSinceLast(): number {
    const cost = Math.max(0, this.#cost.told - this.#cost.taken);
    this.#cost.taken = Math.max(this.#cost.told, this.#cost.taken);
    return Math.round(cost * 1e9) / 1e9;
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#failed = true;
    this.#queue.length = 0;
  }

  #addText(kind: "message" | "thought", text: string): void {
    if (!this.#turn || text === "") return;
    if (this.#item?.kind !== kind) {
      this.#closeItem();
      const held = this.#to.redaction?.hold() ?? null;
      this.#item = { nth: this.#turn.items++, kind, length: 0, stored: 0, waiting: "", held };
    }
    const { held } = this.#item;
    this.#say(this.#item, held ? held.add(text) : text);
  }

  #say(item: OpenItem, text: string): void {
    if (!this.#turn || text === "") return;
    const { nth, kind, length: offset } = item;
    const delta = { turn_id: this.#turn.id, item: nth, kind, offset, text };
    item.length += text.length;
    item.waiting += text;
    this.#push({ delta });
    if (item.waiting.length >= this.#to.flush.chars) this.#flush();
    else this.#timer ??= setTimeout(() => this.#flush(), this.#to.flush.ms);
  }

  #part(kind: "plan" | "note", given: string): void {
    if (!this.#turn) return;
    const text = this.#to.redaction?.text(given) ?? given;
    this.#closeItem();
    const { id: turn_id } = this.#turn;
    const item = this.#turn.items++;
    this.#push({ command: { type: "append_part", turn_id, item, kind, offset: 0, text } });
  }

  /** Returns the id of the call's action. */
  #call(call: ToolCall, asked = false): string {
    this.#closeItem();
    return this.#calls.hear(call, this.#lastTurn, asked);
  }

  #closeItem(): void {
    if (this.#item?.held) this.#say(this.#item, this.#item.held.end());
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

  /** Ends in the same tick in which the queue is empty, so that a later entry starts a new pump. */
  async #pump(): Promise<void> {
    // Waits until the caller that starts it has stored its promise.
    await Promise.resolve();
    try {
      for (;;) {
        const commands = this.#publishUpToCommands();
        if (commands.length === 0) return;
        this.#seq = await this.#to.write(commands);
        for (const command of commands) {
          if (command.type !== "append_part") continue;
          this.#to.stored(command.item, command.offset + command.text.length, this.#seq);
        }
      }
    } catch (error) {
      this.stop();
      this.#to.onFailure(error);
    } finally {
      this.#pumping = null;
    }
  }

  /** Publishes the deltas at the front of the queue, then removes and returns the commands that follow. */
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

/** Fits into an event in every script, even with escapes. */
const PIECE_CHARS = 256 * 1024;
const EXCERPT_CHARS = 200;
/** Sums of dollars that differ by less are equal. */
const CENT_OF_A_CENT = 0.000_1;

function pieces(text: string): string[] {
  if (text.length <= PIECE_CHARS) return [text];
  const count = Math.ceil(text.length / PIECE_CHARS);
  return Array.from({ length: count }, (_, nth) =>
    text.slice(nth * PIECE_CHARS, (nth + 1) * PIECE_CHARS),
  );
}

function describe({ name, excerpt }: Extract<AgentUpdate, { kind: "other" }>): string {
  return excerpt === "" ? name : `${name} (${shortenText(excerpt, EXCERPT_CHARS)})`;
}

type Entry = { readonly command: SessionCommand } | { readonly delta: Omit<Delta, "after"> };

interface OpenItem {
  readonly nth: number;
  readonly kind: "message" | "thought";
  length: number;
  stored: number;
  waiting: string;
  readonly held: HeldText | null;
}
