import { on } from "node:events";
import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import { WebSocketServer, type WebSocket as Ws } from "ws";
import { BelayError, refuse } from "../../../contract/errors.ts";
import { CROWDED_MS, countUntaken } from "../streams/untaken-bytes.ts";

/** The largest message, and the most bytes that a client may send before it is admitted. */
const MAX_BYTES = { message: 1024 * 1024, beforeAdmission: 8 * 1024 };
/**
 * Options of ws: each piece of a message costs memory beyond its bytes, and a client may not answer the closing frame.
 */
const LIMITS = {
  maxPayload: MAX_BYTES.message,
  maxFragments: 1_000,
  maxBufferedChunks: 16 * 1024,
  closeTimeout: 1_000,
};

interface SocketTimes {
  /** How often the client is pinged. */
  readonly heartbeat: number;
  /** A client that receives nothing for this long is disconnected. */
  readonly stalled: number;
}

/** True if a request asks for a WebSocket of the supported version. */
export function asksForSocket({ method, headers }: IncomingMessage): boolean {
  return (
    method === "GET" &&
    headers.upgrade?.toLowerCase() === "websocket" &&
    headers["sec-websocket-version"] === "13" &&
    /^[A-Za-z0-9+/]{22}==$/.test(headers["sec-websocket-key"] ?? "")
  );
}

/**
 * The server's end of a WebSocket for texts. Reading pauses while a message waits, and sending waits for the client, so
 * a client that floods or never reads costs little more than one message each way.
 */
export class WebSocket {
  readonly #ws: Ws;
  readonly #socket: Socket;
  readonly #times: SocketTimes;
  readonly #received: AsyncIterable<unknown[]>;
  #allowance = MAX_BYTES.beforeAdmission;
  #isAlive = true;

  private constructor(ws: Ws, socket: Socket, times: SocketTimes) {
    this.#ws = ws;
    this.#socket = socket;
    this.#times = times;
    this.#received = on(ws, "message", { close: ["close"], highWaterMark: 1, lowWaterMark: 1 });
    // On a protocol error, ws closes the connection with the right code.
    ws.on("error", () => {});
    // Only the latest ping needs an answer; a client that does not read gets none.
    ws.on("ping", (data) => socket.writableNeedDrain || ws.pong(data));
    socket.on("data", (chunk: Buffer) => this.#count(chunk.length));
    const beat = setInterval(() => this.#ask(), times.heartbeat).unref();
    socket.once("close", () => clearInterval(beat));
  }

  /** Accepts a WebSocket. Never resolves if the client has gone meanwhile. */
  static accept(
    request: IncomingMessage,
    socket: Socket,
    head: Buffer,
    protocol: string,
    headers: Readonly<Record<string, string>>,
    times: SocketTimes,
  ): Promise<WebSocket> {
    const server = new WebSocketServer({
      noServer: true,
      clientTracking: false,
      autoPong: false,
      // The reader of the messages validates them.
      skipUTF8Validation: true,
      ...LIMITS,
      handleProtocols: () => protocol,
    });
    server.on("headers", (lines) => {
      for (const [name, value] of Object.entries(headers)) lines.push(`${name}: ${value}`);
    });
    return new Promise((resolve, reject) => {
      server.on("wsClientError", ({ message }) =>
        reject(new BelayError(refuse("invalid_input", message))),
      );
      server.handleUpgrade(request, socket, head, (ws) =>
        resolve(new WebSocket(ws, socket, times)),
      );
    });
  }

  /** From now on only the size of single messages is limited. */
  admit(): void {
    this.#allowance = Number.POSITIVE_INFINITY;
  }

  /** The text messages as bytes, until the connection ends. */
  async *messages(): AsyncGenerator<Buffer> {
    try {
      for await (const [data, isBinary] of this.#received) {
        if (this.#ws.readyState !== this.#ws.OPEN) return;
        if (isBinary || !Buffer.isBuffer(data)) return this.close(1003, "");
        yield data;
      }
    } catch {
      // The connection broke.
    }
  }

  /** Resolves when the client has received it, or the connection is gone. */
  async send(text: string): Promise<void> {
    if (this.#ws.readyState !== this.#ws.OPEN) return;
    this.#ws.send(text);
    if (this.#socket.writableNeedDrain) await this.#drain();
  }

  close(code: number, reason: string): void {
    // A client that does not read would not read the closing frame either.
    if (this.#socket.writableNeedDrain) this.#ws.terminate();
    else this.#ws.close(code, reason);
  }

  async #drain(): Promise<void> {
    const socket = this.#socket;
    const taken = Promise.withResolvers<void>();
    const go = (): void => taken.resolve();
    const late = setTimeout(() => socket.destroy(), this.#times.stalled);
    const end = (): void => void socket.destroy();
    const forget = countUntaken(socket.writableLength, () => {
      socket.setTimeout(CROWDED_MS).once("timeout", end);
    });
    socket.once("drain", go).once("close", go);
    await taken.promise;
    forget();
    socket.setTimeout(0).off("timeout", end);
    socket.off("drain", go).off("close", go);
    clearTimeout(late);
  }

  #count(bytes: number): void {
    this.#isAlive = true;
    this.#allowance -= bytes;
    if (this.#allowance >= 0) return;
    this.close(1009, "");
    this.#ws.pause();
  }

  #ask(): void {
    if (!this.#isAlive) {
      this.#ws.terminate();
      return;
    }
    this.#isAlive = false;
    if (!this.#socket.writableNeedDrain) this.#ws.ping();
  }
}
