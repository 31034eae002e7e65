import { connect, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { describe, expect, it } from "vitest";
import { isRecord } from "../../src/interfaces/graphql/words.ts";
import { openServer, type TestServer } from "../http/open-server.ts";
import { until } from "../http/until.ts";
import { readError } from "./ask-graphql.ts";
import { EVENTS, listen } from "./clients.ts";

const CALLER = { owner: "ann", actor: "test", interface: "library", trace_id: null } as const;
const WAYS = ["ws", "sse"] as const;

async function begin({ service }: TestServer): Promise<string> {
  return (await service.call("create", { agent_name: "elsewhere" }, CALLER)).session_id;
}

function eventOf(answer: unknown): Record<string, unknown> {
  const data = isRecord(answer) ? answer.data : null;
  const event = isRecord(data) ? data.agentSessionEvents : null;
  if (!isRecord(event)) throw new Error(`no event: ${JSON.stringify(answer)}`);
  return event;
}

describe.each(WAYS)("a subscription over %s", (way) => {
  it("tells what has happened and what happens, and goes on from a place", async () => {
    const server = await openServer();
    const id = await begin(server);
    const seen: Record<string, unknown>[] = [];
    const { cut } = listen(
      way,
      server,
      server.tokens.ann.read,
      { id },
      {
        next: (answer) => seen.push(eventOf(answer)),
      },
    );
    await until(() => seen.length === 1);
    await server.service.call("update", { id, phase: "planning" }, CALLER);
    const { version } = await server.service.call("get", { id }, CALLER);
    await until(() => seen.length >= version);
    cut();
    expect(seen[0]).toMatchObject({ type: "session.created", seq: 1, delta: null });
    expect(seen).toContainEqual(expect.objectContaining({ type: "phase.changed", delta: null }));
    const all = Array.from({ length: version }, (_, n) => n + 1);
    expect(seen.map((event) => event.seq)).toEqual(all);

    const later: unknown[] = [];
    const again = listen(
      way,
      server,
      server.tokens.ann.read,
      { id, after: 1 },
      {
        next: (answer) => later.push(eventOf(answer).seq),
      },
    );
    await until(() => later.length >= version - 1);
    again.cut();
    expect(later).toEqual(all.slice(1));
  });

  it("is refused where there is nothing to follow, or nobody was let in", async () => {
    const server = await openServer();
    const id = await begin(server);
    const { ann, bob } = server.tokens;
    const refusedBy = async (token: string, place: { id: string; after?: number }) => {
      const { ended } = listen(way, server, token, place, {
        next: (answer) => expect(answer).toBeNull(),
      });
      return ended;
    };
    const nobody = await codesOf(refusedBy(bob.write, { id: "nobody-1" }), way);
    expect(nobody).toContain(way === "ws" ? "session_not_found" : "404");
    expect(await codesOf(refusedBy(bob.write, { id }), way)).toBe(nobody);
    const beyond = await codesOf(refusedBy(ann.write, { id, after: 99 }), way);
    expect(beyond).toContain(way === "ws" ? "invalid_input" : "400");
    const stranger = await codesOf(refusedBy("belay_nobody", { id }), way);
    expect(stranger).toContain(way === "ws" ? "4403" : "401");
  });

  it("ends within 5 s when its token is revoked, and nothing more is told", async () => {
    const server = await openServer({ times: { admission_ms: 200 } });
    const id = await begin(server);
    const { id: token_id, token } = await server.makeToken("ann", "read");
    const seen: unknown[] = [];
    const { ended } = listen(way, server, token, { id }, { next: (answer) => seen.push(answer) });
    await until(() => seen.length === 1);
    const began = performance.now();
    await server.revoke(token_id);
    const end = await ended;
    expect(performance.now() - began).toBeLessThan(5000);
    if (way === "ws") expect(end).toMatchObject({ code: 4403 });
    await server.service.call("update", { id, phase: "planning" }, CALLER);
    expect(seen).toHaveLength(1);
  });

  it("ends with the server, which does not wait for it", async () => {
    const server = await openServer();
    const id = await begin(server);
    const seen: unknown[] = [];
    const { ended } = listen(
      way,
      server,
      server.tokens.ann.read,
      { id },
      {
        next: (answer) => seen.push(answer),
      },
    );
    await until(() => seen.length === 1);
    const began = performance.now();
    await server.close();
    const end = await ended;
    expect(performance.now() - began).toBeLessThan(4000);
    if (way === "ws") expect(end).toMatchObject({ code: 1001 });
  });
});

describe("over one WebSocket", () => {
  it("queries and mutations are answered too, each under its id", async () => {
    const server = await openServer();
    const socket = await openSocket(server, { authorization: `Bearer ${server.tokens.ann.write}` });
    socket.say({ type: "connection_init" });
    await until(() => socket.said.length === 1);
    const create = `mutation { createAgentSession(agentName: "elsewhere") { interface } }`;
    socket.say({ type: "subscribe", id: "a", payload: { query: create } });
    socket.say({ type: "subscribe", id: "b", payload: { query: "{ nothing }" } });
    socket.say({ type: "ping" });
    await until(() => socket.said.length === 5);
    expect(socket.said).toContainEqual({ type: "pong" });
    expect(socket.said).toContainEqual({
      id: "a",
      type: "next",
      payload: { data: { createAgentSession: { interface: "graphql" } } },
    });
    expect(socket.said).toContainEqual({ id: "a", type: "complete" });
    const error = socket.said.find(({ id }) => id === "b");
    expect(error).toMatchObject({ type: "error" });
    const [first] = Array.isArray(error?.payload) ? error.payload : [];
    expect(readError(first).code).toBe("invalid_input");
  });

  it("a subscription that was completed tells no more, and its id is free again", async () => {
    const server = await openServer();
    const id = await begin(server);
    const socket = await openSocket(server, { authorization: `Bearer ${server.tokens.ann.write}` });
    socket.say({ type: "connection_init" });
    const payload = { query: EVENTS, variables: { id } };
    socket.say({ type: "subscribe", id: "a", payload });
    await until(() => socket.said.some(({ type }) => type === "next"));
    socket.say({ type: "complete", id: "a" });
    socket.say({ type: "ping" });
    await until(() => socket.said.some(({ type }) => type === "pong"));
    await server.service.call("update", { id, phase: "planning" }, CALLER);
    socket.say({
      type: "subscribe",
      id: "a",
      payload: { ...payload, variables: { id, after: 1 } },
    });
    const { version } = await server.service.call("get", { id }, CALLER);
    const seqs = () =>
      socket.said.flatMap(({ type, payload }) => (type === "next" ? [eventOf(payload).seq] : []));
    await until(() => seqs().length >= version);
    expect(seqs()).toEqual(Array.from({ length: version }, (_, n) => n + 1));
  });

  it.each([
    ["nobody says who they are", [], 4408],
    [
      "a token that lets nobody in",
      [{ type: "connection_init", payload: { authorization: "Bearer x" } }],
      4403,
    ],
    ["no token at all", [{ type: "connection_init" }], 4403],
    [
      "something is asked before",
      [{ type: "subscribe", id: "a", payload: { query: "{ __typename }" } }],
      4401,
    ],
    ["what is no message", [{ type: "hello" }], 4400],
    ["what is no JSON", ["{"], 4400],
    ["a key twice", ['{"type":"ping","type":"pong"}'], 4400],
    ["more than a stranger has to say", ["x".repeat(10_000)], 1009],
  ])(
    "it is closed when %s",
    async (_name, messages, code) => {
      const server = await openServer();
      const socket = await openSocket(server, {});
      const began = performance.now();
      for (const message of messages) socket.say(message);
      expect(await socket.closed).toBe(code);
      expect(socket.said).toEqual([]);
      expect(performance.now() - began).toBeLessThan(4500);
    },
    10_000,
  );

  it("it is closed when one begins twice, or asks twice under one id", async () => {
    const server = await openServer();
    const id = await begin(server);
    const headers = { authorization: `Bearer ${server.tokens.ann.write}` };
    const twice = await openSocket(server, headers);
    twice.say({ type: "connection_init" });
    twice.say({ type: "connection_init" });
    expect(await twice.closed).toBe(4429);
    const same = await openSocket(server, headers);
    const subscribe = { type: "subscribe", id: "a", payload: { query: EVENTS, variables: { id } } };
    same.say({ type: "connection_init" });
    same.say(subscribe);
    same.say(subscribe);
    expect(await same.closed).toBe(4409);
  });
});

describe("a WebSocket is not opened", () => {
  const cookie = (server: TestServer) => `belay_token=${server.tokens.ann.write}`;
  it.each([
    ["for another host", () => ({ host: "evil.example" }), 421],
    ["for a page of another origin", () => ({ origin: "http://evil.example" }), 403],
    ["for a page of another port", () => ({ origin: "http://127.0.0.1:1" }), 403],
    ["for a page of another site", () => ({ "sec-fetch-site": "cross-site" }), 403],
    [
      "for a page of another origin, whatever its cookie",
      (server: TestServer) => ({ origin: "http://evil.example", cookie: cookie(server) }),
      403,
    ],
    ["with a token that lets nobody in", () => ({ authorization: "Bearer belay_x" }), 401],
    ["in another protocol", () => ({ "sec-websocket-protocol": "graphql-ws" }), 400],
    ["in another version", () => ({ "sec-websocket-version": "8" }), 403],
  ])("%s", async (_name, headersOf, status) => {
    const server = await openServer();
    await expect(openSocket(server, headersOf(server))).rejects.toThrow(`HTTP/1.1 ${status}`);
  });

  it("at any other path", async () => {
    const server = await openServer();
    for (const path of ["/", "/sessions", "/graphql/", "/graphql?x", "/mcp"]) {
      await expect(openSocket(server, {}, path)).rejects.toThrow("HTTP/1.1 403");
    }
  });

  it("by a cookie without the page that it belongs to, but by both", async () => {
    const server = await openServer();
    const alone = await openSocket(server, { cookie: cookie(server) });
    alone.say({ type: "connection_init" });
    expect(await alone.closed).toBe(4403);
    const own = { cookie: cookie(server), origin: `http://127.0.0.1:${server.port}` };
    const both = await openSocket(server, own);
    both.say({ type: "connection_init" });
    await until(() => both.said.length === 1);
    expect(both.said).toEqual([{ type: "connection_ack" }]);
    both.end();
  });
});

describe("a client that never reads", () => {
  it.each(WAYS)(
    "over %s is let go, and costs little meanwhile",
    async (way) => {
      const times = { heartbeat: 15_000, stalled: 2000, answer: 10_000 };
      const server = await openServer({ parts: { streamTimes: times } });
      const id = await begin(server);
      const big = "x".repeat(64_000);
      for (let n = 0; n < 250; n++) {
        const turn = { id, turn_id: `turn-${n}`, input: "a", output: big };
        await server.service.call("record_turn", turn, CALLER);
      }
      const streams = async () => {
        const { text } = await server.ask("GET", "/metrics", { token: server.tokens.ann.admin });
        return Number(/^belay_http_open_streams (\d+)$/m.exec(text)?.[1]);
      };
      const before = heapUsed();
      const sockets = Array.from({ length: 10 }, () => askAndNeverRead(server, way, id));
      await until(async () => (await streams()) === 10);
      await sleep(1000);
      // All that they have not taken is 160 MB.
      expect(heapUsed() - before).toBeLessThan(60 * 1024 * 1024);
      await until(async () => (await streams()) === 0);
      for (const socket of sockets) socket.destroy();
    },
    20_000,
  );
});

function heapUsed(): number {
  setFlagsFromString("--expose-gc");
  const collect: unknown = runInNewContext("gc");
  if (typeof collect === "function") collect();
  return process.memoryUsage().heapUsed + process.memoryUsage().arrayBuffers;
}

/** The error that ended it, as far as the client tells. */
async function codesOf(ended: Promise<unknown>, way: "ws" | "sse"): Promise<string> {
  const error = await ended;
  if (way === "ws" && Array.isArray(error)) return error.map((each) => readError(each).code).join();
  if (isRecord(error) && typeof error.code === "number") return String(error.code);
  return String(error);
}

interface TestSocket {
  readonly said: Record<string, unknown>[];
  readonly closed: Promise<number>;
  say(message: unknown): void;
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

/** A WebSocket with any headers, which real clients choose themselves. Rejects with the status line of a refusal. */
function openSocket(
  { port }: TestServer,
  headers: Record<string, string>,
  path = "/graphql",
): Promise<TestSocket> {
  const opened = Promise.withResolvers<TestSocket>();
  const closed = Promise.withResolvers<number>();
  const said: Record<string, unknown>[] = [];
  const socket = connect(port, "127.0.0.1", () => socket.write(upgrade(port, headers, path)));
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
        closed: closed.promise,
        say: (message) => socket.write(frame(message)),
        end: () => socket.destroy(),
      });
    }
    for (let length = frameLength(bytes); length !== null; length = frameLength(bytes)) {
      const [start, end] = length;
      const payload = bytes.subarray(start, end);
      if (bytes[0] === 0x88) closed.resolve(payload.readUInt16BE(0));
      if (bytes[0] === 0x81) said.push(JSON.parse(payload.toString()));
      bytes = bytes.subarray(end);
    }
  });
  socket.on("error", opened.reject);
  socket.on("close", () => closed.resolve(0));
  return opened.promise;
}

/** A masked text of up to 64 KiB, as clients have to send it. */
function frame(message: unknown): Buffer {
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

function askAndNeverRead({ port, tokens }: TestServer, way: "ws" | "sse", id: string): Socket {
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
