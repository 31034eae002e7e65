import { setImmediate, setTimeout } from "node:timers/promises";
import type { AgentContext, SessionUpdate, StopReason } from "@agentclientprotocol/sdk/unstable";
import { methods } from "@agentclientprotocol/sdk/unstable";
import type { DemoAgent } from "./demo-agent.ts";
import type { DemoSession } from "./demo-session.ts";
import type { Remembered } from "./remembered.ts";
import { bounded } from "./text-content.ts";

const ANSWER_KEPT = 64 * 1024;
/**
 * After this many updates stdin is read, because otherwise a cancel would wait as long as the reader keeps up with a
 * flood.
 */
const BREATH = 64;

/** Thrown to end a turn early. */
export class TurnOver extends Error {
  readonly stop: StopReason;

  constructor(stop: StopReason) {
    super(`the turn is over: ${stop}`);
    this.stop = stop;
  }
}

/** One prompt being answered. Its output and its waits stop when the signal aborts. */
export class Turn {
  readonly agent: DemoAgent;
  readonly session: DemoSession;
  readonly client: AgentContext;
  readonly signal: AbortSignal;
  /** Milliseconds between two pieces of an answer. */
  pace: number;
  /** The cost of the turn, if the user set it. */
  usage: { readonly input: number; readonly output: number; readonly usd: number } | null = null;
  wordsSaid = 0;
  /** Work that continues after the turn has ended. */
  readonly afterwards: (() => Promise<void>)[] = [];
  #said: string[] = [];
  /** The last character of the text so far. */
  #ended = "";
  #held: Remembered[] = [];
  #sent = 0;

  constructor(agent: DemoAgent, session: DemoSession, client: AgentContext, signal: AbortSignal) {
    this.agent = agent;
    this.session = session;
    this.client = client;
    this.signal = signal;
    this.pace = agent.flags.valueOf("pace") ?? 0;
  }

  async send(update: SessionUpdate): Promise<void> {
    this.signal.throwIfAborted();
    await this.sendAnyway(update);
    this.#sent += 1;
    if (this.#sent % BREATH === 0) await setImmediate();
  }

  /** Sends an update that a client must get even for a cancelled turn. */
  async sendAnyway(update: SessionUpdate): Promise<void> {
    await this.client.notify(methods.client.session.update, {
      sessionId: this.session.id,
      update,
    });
  }

  /** Word by word, on a line of its own. */
  async say(text: string): Promise<void> {
    const separator = this.#ended === "" || this.#ended.endsWith("\n") ? "" : "\n";
    for (const word of `${separator}${text}`.match(/\s*\S+\s*/g) ?? []) {
      await this.sendText(word);
      if (this.pace > 0) await this.wait(this.pace);
    }
  }

  async sendText(text: string): Promise<void> {
    this.signal.throwIfAborted();
    this.wordsSaid += countWords(text);
    this.#said.push(text);
    this.#ended = text.slice(-1);
    await this.send({ sessionUpdate: "agent_message_chunk", content: { type: "text", text } });
  }

  async think(text: string): Promise<void> {
    await this.send({ sessionUpdate: "agent_thought_chunk", content: { type: "text", text } });
  }

  async wait(ms: number): Promise<void> {
    await setTimeout(ms, undefined, { signal: this.signal });
  }

  remember(line: Remembered): void {
    this.#rememberAnswer();
    this.#held.push(line);
    if (!this.agent.flags.has("forget-prompt")) this.#writeHeld();
  }

  rememberAll(): void {
    this.#rememberAnswer();
    this.#writeHeld();
  }

  goOn(): void {
    // A client that has disconnected by then misses nothing.
    for (const work of this.afterwards) void work().catch(() => {});
  }

  /** The text so far comes before the next memory line. */
  #rememberAnswer(): void {
    const text = bounded(this.#said.join(""), ANSWER_KEPT);
    this.#said = [];
    if (text !== "") this.#held.push({ kind: "answer", text });
  }

  #writeHeld(): void {
    const lines = this.#held.splice(0);
    if (lines.length === 0) return;
    this.agent.memory.append(this.session.id, lines);
    this.session.history.push(...lines);
  }
}

/** Counts words as tokens, so that every run counts the same. */
export function countWords(text: string): number {
  return text.match(/\S+/g)?.length ?? 0;
}
