import { connect, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import { isRecord } from "../../src/contract/is-record.ts";
import type { TestServer } from "../http/open-server.ts";
import { EVENTS } from "./clients.ts";

export interface TestSocket {
  readonly said: Record<string, unknown>[];
  /** The code that the server closes it with; 0 if there is none. */
  readonly closed: Promise<number>;
  /** Resolves when the connection is gone. */
  readonly gone: Promise<void>;
  /** The answers to pings. */
  readonly pongs: string[];
  say(message: unknown): void;
  write(bytes: Buffer): void;
  end(): void;
}

const KEY = "dGhlIHNhbXBsZSBub25jZQ==";

function upgrade(port: number, headers: Record<string, string>, path: string): string {
  const all = {
    host: `127.0.0.1:${port}`,
    connection: "Upgrade",
    upgrade: "websocket",
    "sec-websocket-version": "13",
    "sec-websocket-key": KEY,
    "sec-websocket-protocol": "graphql-transport-ws",
    ...headers,
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return `GET ${path} HTTP/1.1\r\n${lines.join("")}\r\n`;
}

/** A WebSocket with custom headers, which real clients do not allow. Rejects with the status line of a refusal. */
export function openSocket(
  { port }: TestServer,
  headers: Record<string, string>,
  path = "/graphql",
  first: Buffer = Buffer.alloc(0),
  tls = false,
): Promise<TestSocket> {
  const opened = Promise.withResolvers<TestSocket>();
  const closed = Promise.withResolvers<number>();
  const gone = Promise.withResolvers<void>();
  const said: Record<string, unknown>[] = [];
  const pongs: string[] = [];
  const begin = (): void => {
    socket.write(Buffer.concat([Buffer.from(upgrade(port, headers, path)), first]));
  };
  const socket: Socket = tls
    ? connectTls({ port, host: "127.0.0.1", rejectUnauthorized: false }, begin)
    : connect(port, "127.0.0.1", begin);
  let bytes = Buffer.alloc(0);
  let open = false;
  socket.on("data", (chunk) => {
    bytes = Buffer.concat([bytes, chunk]);
    if (!open) {
      const end = bytes.indexOf("\r\n\r\n");
      if (end < 0) return;
      const [status = ""] = bytes.toString().split("\r\n");
      if (!status.includes(" 101 ")) return opened.reject(new Error(status));
      bytes = bytes.subarray(end + 4);
      open = true;
      opened.resolve({
        said,
        pongs,
        closed: closed.promise,
        gone: gone.promise,
        write: (bytes) => socket.write(bytes),
        say: (message) => socket.write(frame(message)),
        end: () => socket.destroy(),
      });
    }
    for (let length = frameLength(bytes); length !== null; length = frameLength(bytes)) {
      const [start, end] = length;
      const payload = bytes.subarray(start, end);
      if (bytes[0] === 0x88) closed.resolve(payload.readUInt16BE(0));
      if (bytes[0] === 0x81) said.push(JSON.parse(payload.toString()));
      if (bytes[0] === 0x8a) pongs.push(payload.toString());
      bytes = bytes.subarray(end);
    }
  });
  socket.on("error", opened.reject);
  socket.on("close", () => {
    closed.resolve(0);
    gone.resolve();
  });
  return opened.promise;
}

/** A masked text of up to 64 KiB, as clients must send it. */
export function frame(message: unknown): Buffer {
  const payload = Buffer.from(typeof message === "string" ? message : JSON.stringify(message));
  const header = Buffer.from([0x81, 0x80 | 126, 0, 0, 0, 0, 0, 0]);
  header.writeUInt16BE(payload.length, 2);
  return Buffer.concat([header, payload]);
}

function frameLength(bytes: Buffer): readonly [number, number] | null {
  if (bytes.length < 2) return null;
  const short = (bytes[1] ?? 0) & 0x7f;
  const start = short === 126 ? 4 : short === 127 ? 10 : 2;
  if (bytes.length < start) return null;
  const length =
    short === 126
      ? bytes.readUInt16BE(2)
      : short === 127
        ? Number(bytes.readBigUInt64BE(2))
        : short;
  return bytes.length < start + length ? null : [start, start + length];
}

export function askAndNeverRead(
  { port, tokens }: TestServer,
  way: "ws" | "sse",
  id: string,
): Socket {
  const authorization = `Bearer ${tokens.ann.read}`;
  const payload = { query: EVENTS, variables: { id } };
  const body = JSON.stringify(payload);
  const post = `POST /graphql HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\nauthorization: ${authorization}\r\ncontent-type: application/json\r\naccept: text/event-stream\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
  const socket = connect(port, "127.0.0.1");
  socket.on("error", () => {});
  socket.pause();
  if (way === "sse") socket.write(post);
  else {
    socket.write(upgrade(port, { authorization }, "/graphql"));
    socket.write(frame({ type: "connection_init" }));
    socket.write(frame({ type: "subscribe", id: "a", payload }));
  }
  return socket;
}

/** The event in an answer of a subscription. */
export function eventOf(answer: unknown): Record<string, unknown> {
  const data = isRecord(answer) ? answer.data : null;
  const event = isRecord(data) ? data.agentSessionEvents : null;
  if (!isRecord(event)) throw new Error(`no event: ${JSON.stringify(answer)}`);
  return event;
}
