import { type ClientRequest, type IncomingMessage, request } from "node:http";

export interface SseEvent {
  readonly id: string | null;
  readonly event: string;
  readonly data: unknown;
}

export interface ReadOptions {
  readonly token: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly method?: string;
  readonly body?: unknown;
  onEvent?(event: SseEvent): void;
}

/** One connection of a client that reads an event stream. */
export class EventReader {
  readonly events: SseEvent[] = [];
  /** Everything received so far. */
  text = "";
  /** The id that a client sends when it reconnects. */
  lastId: string | null = null;
  status = 0;
  headers: IncomingMessage["headers"] = {};
  /** Resolves with the start of the answer; rejects if there is none. */
  readonly opened: Promise<void>;
  /** Resolves when the connection is gone; true if the server had ended the stream cleanly. */
  readonly closed: Promise<boolean>;
  readonly #request: ClientRequest;
  #response: IncomingMessage | null = null;
  #rest = "";

  constructor(url: string, options: ReadOptions) {
    const { token, headers, method = "GET", body, onEvent } = options;
    this.#request = request(url, {
      method,
      agent: false,
      headers: {
        authorization: `Bearer ${token}`,
        accept: "text/event-stream",
        ...(body !== undefined && { "content-type": "application/json" }),
        ...headers,
      },
    });
    const opened = Promise.withResolvers<void>();
    const closed = Promise.withResolvers<boolean>();
    this.opened = opened.promise;
    this.closed = closed.promise;
    this.opened.catch(() => {});
    this.#request.on("error", (error) => {
      opened.reject(error);
      closed.resolve(false);
    });
    this.#request.on("response", (response) => {
      this.#response = response;
      this.status = response.statusCode ?? 0;
      this.headers = response.headers;
      opened.resolve();
      response.setEncoding("utf8");
      response.on("data", (text: string) => this.#take(text, onEvent));
      response.on("error", () => closed.resolve(false));
      response.on("close", () => closed.resolve(response.complete));
    });
    this.#request.end(body === undefined ? undefined : JSON.stringify(body));
  }

  /** Stops reading without disconnecting. */
  stall(): void {
    this.#response?.pause();
  }

  /** Reads again. */
  goOn(): void {
    this.#response?.resume();
  }

  /** Like a network failure. */
  cut(): void {
    this.#request.destroy();
  }

  #take(text: string, onEvent: ReadOptions["onEvent"]): void {
    this.text += text;
    const blocks = (this.#rest + text).split("\n\n");
    this.#rest = blocks.pop() ?? "";
    for (const block of blocks) this.#takeBlock(block, onEvent);
  }

  #takeBlock(block: string, onEvent: ReadOptions["onEvent"]): void {
    const fields = new Map<string, string>();
    for (const line of block.split("\n")) {
      const [, name = "", value = ""] = /^([a-z]+): ?(.*)$/.exec(line) ?? [];
      if (fields.has(name)) throw new Error(`${name} comes twice in one event`);
      if (name !== "") fields.set(name, value);
    }
    const id = fields.get("id") ?? null;
    if (id !== null) this.lastId = id;
    const data = fields.get("data");
    if (data === undefined) return;
    const event = { id, event: fields.get("event") ?? "message", data: JSON.parse(data) };
    this.events.push(event);
    onEvent?.(event);
  }
}
