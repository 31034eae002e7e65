import type { Readable, Writable } from "node:stream";
import type { AnyMessage, Stream } from "@agentclientprotocol/sdk";
import { isRecord } from "../../contract/is-record.ts";
import { LineSplitter, type SplitLine } from "../../files/line-splitter.ts";
import type { Transcript } from "./transcript.ts";
import { isSettledWithin } from "./within.ts";

const LONGEST_LINE = 16 * 1024 * 1024;
/** An agent that sends more requests than this without waiting for answers is refused. */
const MOST_REQUESTS = 64;

/** The `data` of an error that replaces an answer that was too large to read. */
export class OversizedAnswer {
  readonly size: number;

  constructor(size: number) {
    this.size = size;
  }
}

interface AgentStreamOptions {
  readonly input: Readable;
  readonly output: Writable;
  readonly transcript: Transcript;
  /** Nothing more is read until it is done. */
  readonly onNotification: (method: string, params: unknown) => void | Promise<void>;
  readonly onOversized: (size: number) => void | Promise<void>;
}

/**
 * Passes frames between the pipes of an agent and the SDK. Notifications are handled here, because the SDK neither
 * keeps their order with answers nor waits for their listeners. Frames that the SDK would complain about on the console
 * never reach it.
 */
export class AgentStream {
  /** The SDK's side: our requests, and answers to the agent's. */
  readonly stream: Stream;
  /** The agent has closed its output, and all of it was handled. */
  readonly done: Promise<void>;
  readonly #options: AgentStreamOptions;
  readonly #sent = new Set<unknown>();
  readonly #asked = new Set<unknown>();
  #toSdk: ReadableStreamDefaultController<AnyMessage> | null = null;
  #bytesRead = 0;
  #isBusy = false;

  constructor(options: AgentStreamOptions) {
    this.#options = options;
    this.stream = {
      readable: new ReadableStream<AnyMessage>({
        start: (controller) => {
          this.#toSdk = controller;
        },
        cancel: () => {
          this.#toSdk = null;
        },
      }),
      writable: new WritableStream<AnyMessage>({ write: (message) => this.#send(message) }),
    };
    this.done = this.#readAll();
  }

  /** Resolves when everything was read, or when nothing came for this long although a process holds the pipe open. */
  async settled(quietMs: number): Promise<void> {
    for (let before = -1; before !== this.#bytesRead || this.#isBusy; ) {
      before = this.#bytesRead;
      if (await isSettledWithin(this.done, quietMs)) return;
    }
  }

  async #readAll(): Promise<void> {
    const splitter = new LineSplitter(LONGEST_LINE);
    try {
      for await (const chunk of this.#options.input) {
        this.#bytesRead += chunk.length;
        this.#isBusy = true;
        for (const line of splitter.push(chunk)) await this.#handleLine(line);
        this.#isBusy = false;
      }
      const rest = splitter.rest();
      if (rest) await this.#handleLine(rest);
    } catch {
      // The pipe was closed on our side; there is nothing more to read.
    }
    this.#isBusy = false;
  }

  /** One frame that cannot be parsed, such as one nested too deep, must not end the reading. */
  async #handleLine(line: SplitLine): Promise<void> {
    try {
      await this.#receive(line);
    } catch (error) {
      this.#options.transcript.note(`a frame could not be taken: ${error}`);
    }
  }

  #receive(line: SplitLine): void | Promise<void> {
    const { transcript, onNotification } = this.#options;
    if (line.kind === "oversized") return this.#receiveOversized(line);
    const message = parseMessage(line.bytes);
    if (!message) return transcript.add("??", line.bytes);
    transcript.add("<-", line.bytes);
    if ("method" in message) {
      if (!("id" in message)) {
        if (message.method === "$/cancel_request") return this.#toSdk?.enqueue(message);
        return onNotification(message.method, message.params);
      }
      if (this.#asked.size >= MOST_REQUESTS) return this.#refuse(message.id, "too many requests");
      this.#asked.add(message.id);
      return this.#toSdk?.enqueue(message);
    }
    if (!this.#sent.delete(message.id)) return transcript.note("an answer that nothing asked for");
    this.#toSdk?.enqueue(message);
  }

  #receiveOversized({ size, head, tail }: SplitLine & { kind: "oversized" }): void | Promise<void> {
    const { transcript, onOversized } = this.#options;
    transcript.note(`a line of ${size} bytes was dropped: ${head.slice(0, 200)}`);
    const { id, isCall } = readEnvelope(head, tail);
    if (id !== undefined && isCall) return this.#refuse(id, "the request is too large");
    if (id === undefined || !this.#sent.delete(id)) return onOversized(size);
    const error = { code: -32603, message: "too large", data: new OversizedAnswer(size) };
    this.#toSdk?.enqueue({ jsonrpc: "2.0", id, error });
  }

  #refuse(id: string | number | null, message: string): Promise<void> {
    return this.#send({ jsonrpc: "2.0", id, error: { code: -32600, message } });
  }

  async #send(message: AnyMessage): Promise<void> {
    const { output, transcript } = this.#options;
    if ("method" in message && "id" in message) this.#sent.add(message.id);
    if (!("method" in message)) this.#asked.delete(message.id);
    transcript.add("->", Buffer.from(JSON.stringify(message, withoutServers)));
    if (!output.writable) return;
    if (output.write(toLine(message))) return;
    // An agent that does not read makes us wait; one that is gone never drains.
    await new Promise<void>((resolve) => {
      const go = (): void => {
        output.off("drain", go).off("close", go);
        resolve();
      };
      output.on("drain", go).on("close", go);
    });
  }
}

/** Line readers made for text, such as Node's readline, would split a frame at these characters. */
function toLine(message: AnyMessage): string {
  const json = JSON.stringify(message);
  return `${json.replaceAll("\u2028", "\\u2028").replaceAll("\u2029", "\\u2029")}\n`;
}

/** The environment and headers of MCP servers contain secrets. */
function withoutServers(key: string, value: unknown): unknown {
  if (key !== "mcpServers" || !Array.isArray(value)) return value;
  return value.map((server) => (isRecord(server) ? server.name : null));
}

function parseMessage(bytes: Buffer): AnyMessage | null {
  try {
    const value: unknown = JSON.parse(bytes.toString());
    return isMessage(value) ? value : null;
  } catch {
    return null;
  }
}

function isMessage(value: unknown): value is AnyMessage {
  if (!isRecord(value) || value.jsonrpc !== "2.0") return false;
  const hasId = typeof value.id === "string" || typeof value.id === "number" || value.id === null;
  if ("id" in value && !hasId) return false;
  if ("method" in value) return typeof value.method === "string";
  return hasId && ("result" in value || "error" in value);
}

const FIRST_ID = /^\s*\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?"id"\s*:\s*(\d+|"[^"\\]{0,200}")\s*,/;
const FIRST_METHOD =
  /^\s*\{\s*(?:"(?:jsonrpc|id)"\s*:\s*(?:\d+|"[^"\\]{0,200}")\s*,\s*)*"method"\s*:/;
const LAST_ID = /,\s*"id"\s*:\s*(\d+|"[^"\\]{0,200}")\s*(?:,\s*"jsonrpc"\s*:\s*"2\.0"\s*)?\}\s*$/;

/** Identifies the answer or request of a line of which only the two ends are known. */
function readEnvelope(head: string, tail: string): { id?: string | number; isCall: boolean } {
  const isCall = FIRST_METHOD.test(head);
  const id = FIRST_ID.exec(head)?.[1] ?? LAST_ID.exec(tail)?.[1];
  if (id === undefined) return { isCall };
  return { id: id.startsWith('"') ? id.slice(1, -1) : Number(id), isCall };
}
