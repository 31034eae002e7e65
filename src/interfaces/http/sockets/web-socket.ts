import { createHash } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import { CROWDED_MS, countUntaken } from "../untaken-bytes.ts";

/** What a frame can be, of what is used here (RFC 6455, 5.2). */
const OPCODE = { continuation: 0, text: 1, close: 8, ping: 9, pong: 10 } as const;
const MAX_CONTROL_BYTES = 125;
const LINGER_MS = 1_000;

interface SocketTimes {
  /** How often it is asked whether there is still someone. */
  readonly heartbeat: number;
  /** A client that takes nothing for so long is let go. */
  readonly stalled: number;
}

/** Whether a request asks for a WebSocket, in the one version that there is. */
export function asksForSocket({ method, headers }: IncomingMessage): boolean {
  return (
    method === "GET" &&
    headers.upgrade?.toLowerCase() === "websocket" &&
    headers["sec-websocket-version"] === "13" &&
    /^[A-Za-z0-9+/]{22}==$/.test(headers["sec-websocket-key"] ?? "")
  );
}

/** The answer that makes a connection a WebSocket. */
export function writeAcceptance(
  { headers }: IncomingMessage,
  protocol: string,
  more: Readonly<Record<string, string>>,
): string {
  const accept = createHash("sha1")
    .update(`${headers["sec-websocket-key"]}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`)
    .digest("base64");
  const lines = Object.entries({
    ...more,
    upgrade: "websocket",
    connection: "Upgrade",
    "sec-websocket-accept": accept,
    "sec-websocket-protocol": protocol,
  }).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 101 Switching Protocols\r\n${lines.join("")}\r\n`;
}

/**
 * The server's end of a WebSocket for texts. The next message is read when the one before has been dealt with, and what
 * is sent waits for the client to take it: whoever floods, or never reads, costs no more than one message each way.
 */
export class WebSocket {
  readonly #socket: Socket;
  readonly #times: SocketTimes;
  readonly #beat: NodeJS.Timeout;
  #heard = true;
  #closing = false;

  constructor(socket: Socket, times: SocketTimes) {
    this.#socket = socket;
    this.#times = times;
    socket.on("error", () => socket.destroy());
    socket.setNoDelay(true);
    this.#beat = setInterval(() => this.#ask(), times.heartbeat).unref();
    socket.once("close", () => clearInterval(this.#beat));
  }

  /** Texts as bytes, none longer than `limit` says at that moment; ends with the connection. */
  async *messages(head: Buffer, limit: () => number): AsyncGenerator<Buffer> {
    const chunks = this.#socket.iterator({ destroyOnReturn: false });
    let waiting = head;
    let parts: Buffer[] = [];
    for (;;) {
      const frame = readFrame(waiting, limit());
      if (typeof frame === "number") return this.close(frame, "");
      if ("needs" in frame) {
        const more = await this.#read(chunks, frame.needs - waiting.length);
        if (more === null) return;
        waiting = Buffer.concat([waiting, ...more]);
        continue;
      }
      waiting = waiting.subarray(frame.end);
      if (frame.opcode === OPCODE.pong) continue;
      if (frame.opcode === OPCODE.ping) {
        await this.#write(OPCODE.pong, frame.payload);
        continue;
      }
      if (frame.opcode === OPCODE.close) return this.close(1000, "");
      // A text begins a message, and what continues one has one to continue.
      if ((frame.opcode === OPCODE.text) !== (parts.length === 0)) return this.close(1002, "");
      parts.push(frame.payload);
      const size = parts.reduce((sum, part) => sum + part.length, 0);
      if (size > limit() || parts.length > MOST_PARTS) return this.close(1009, "");
      if (!frame.isLast) continue;
      const message = Buffer.concat(parts);
      parts = [];
      yield message;
    }
  }

  /** Resolves when the client has taken it, or will not take anything any more. */
  send(text: string): Promise<void> {
    return this.#closing ? Promise.resolve() : this.#write(OPCODE.text, Buffer.from(text));
  }

  close(code: number, reason: string): void {
    if (this.#closing) return;
    this.#closing = true;
    const payload = Buffer.alloc(2 + Buffer.byteLength(reason));
    payload.writeUInt16BE(code);
    payload.write(reason, 2);
    // A client that does not take what there is would not take the end either.
    if (this.#socket.writableNeedDrain) this.#socket.destroy();
    else this.#socket.end(Buffer.concat([headerOf(OPCODE.close, payload.length), payload]));
    setTimeout(() => this.#socket.destroy(), LINGER_MS).unref();
  }

  /** At least so many bytes, put together by whoever asked: a message in many pieces is copied once. */
  async #read(chunks: AsyncIterator<unknown>, needed: number): Promise<Buffer[] | null> {
    const read: Buffer[] = [];
    for (let size = 0; size < needed; ) {
      const next = await chunks.next().catch(() => null);
      if (!next || next.done || !Buffer.isBuffer(next.value)) {
        // The other end is gone, or says no more.
        this.#socket.destroy();
        return null;
      }
      this.#heard = true;
      read.push(next.value);
      size += next.value.length;
    }
    return read;
  }

  async #write(opcode: number, payload: Buffer): Promise<void> {
    const socket = this.#socket;
    if (socket.destroyed) return;
    if (socket.write(Buffer.concat([headerOf(opcode, payload.length), payload]))) return;
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

  /** Whoever has said nothing since the last question, not even that they are there, is not there. */
  #ask(): void {
    if (!this.#heard) {
      this.#socket.destroy();
      return;
    }
    this.#heard = false;
    if (!this.#socket.writableNeedDrain && !this.#closing) {
      void this.#write(OPCODE.ping, Buffer.alloc(0));
    }
  }
}

const MOST_PARTS = 1_000;

interface Frame {
  readonly opcode: number;
  readonly isLast: boolean;
  readonly payload: Buffer;
  /** Where the next one begins. */
  readonly end: number;
}

/** The frame at the beginning; or how many bytes it needs; or the code to close with. */
function readFrame(bytes: Buffer, limit: number): Frame | { readonly needs: number } | number {
  const [first, second] = bytes;
  if (first === undefined || second === undefined) return { needs: 2 };
  const opcode = first & 0x0f;
  const isLast = (first & 0x80) !== 0;
  const isControl = opcode >= 8;
  const known: readonly number[] = Object.values(OPCODE);
  // No extension was agreed upon, a client has to mask, and there are no binary messages.
  if ((first & 0x70) !== 0 || (second & 0x80) === 0) return 1002;
  if (!known.includes(opcode)) return opcode === 2 ? 1003 : 1002;
  const short = second & 0x7f;
  if (isControl && (short > MAX_CONTROL_BYTES || !isLast)) return 1002;
  const lengthBytes = short === 126 ? 2 : short === 127 ? 8 : 0;
  const start = 2 + lengthBytes + 4;
  if (bytes.length < start) return { needs: start };
  const length =
    lengthBytes === 2
      ? bytes.readUInt16BE(2)
      : lengthBytes === 8
        ? Number(bytes.readBigUInt64BE(2))
        : short;
  if (length > limit) return 1009;
  const end = start + length;
  if (bytes.length < end) return { needs: end };
  const mask = bytes.subarray(start - 4, start);
  const payload = Buffer.from(bytes.subarray(start, end));
  for (let n = 0; n < payload.length; n++) payload[n] = (payload[n] ?? 0) ^ (mask[n % 4] ?? 0);
  return { opcode, isLast, payload, end };
}

function headerOf(opcode: number, length: number): Buffer {
  const lengthBytes = length < 126 ? 0 : length < 65_536 ? 2 : 8;
  const header = Buffer.alloc(2 + lengthBytes);
  header[0] = 0x80 | opcode;
  header[1] = lengthBytes === 0 ? length : lengthBytes === 2 ? 126 : 127;
  if (lengthBytes === 2) header.writeUInt16BE(length, 2);
  if (lengthBytes === 8) header.writeBigUInt64BE(BigInt(length), 2);
  return header;
}
