import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { afterEachFile } from "../clean-up.ts";
import { openServer, type TestServer } from "../http/open-server.ts";
import { until } from "../http/until.ts";
import { MEASURED } from "../patience.ts";
import { readError } from "./ask-graphql.ts";
import { begin, CALLER } from "./begin-session.ts";
import { EVENTS } from "./clients.ts";
import { eventOf, frame, openSocket } from "./raw-socket.ts";

describe("over one WebSocket", () => {
  it("queries and mutations are answered, each under its id", async () => {
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

  it("a completed subscription sends nothing more, and its id can be used again", async () => {
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
  ])("it is closed when %s", MEASURED, async (_name, messages, code) => {
    const server = await openServer();
    const socket = await openSocket(server, {});
    const began = performance.now();
    for (const message of messages) socket.say(message);
    expect(await socket.closed).toBe(code);
    expect(socket.said).toEqual([]);
    expect(performance.now() - began).toBeLessThan(4500);
  });

  it("a second init, or a second request with one id, closes it", async () => {
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

  it("by a cookie, only by a token in the first message of a page", async () => {
    const server = await openServer();
    const own = { cookie: cookie(server), origin: `http://127.0.0.1:${server.port}` };
    const alone = await openSocket(server, own);
    alone.say({ type: "connection_init" });
    expect(await alone.closed).toBe(4403);
    const both = await openSocket(server, own);
    const payload = { authorization: `Bearer ${server.tokens.ann.write}` };
    both.say({ type: "connection_init", payload });
    await until(() => both.said.length === 1);
    expect(both.said).toEqual([{ type: "connection_ack" }]);
    both.end();
  });
});

describe("frames of a WebSocket", () => {
  const text = Buffer.from('{"type":"ping"}');
  const masked = (first: number, payload: Buffer): Buffer =>
    Buffer.concat([Buffer.from([first, 0x80 | payload.length, 0, 0, 0, 0]), payload]);
  it.each<[string, Buffer, number]>([
    ["not masked", Buffer.concat([Buffer.from([0x81, text.length]), text]), 1002],
    ["of an extension", masked(0xc1, text), 1002],
    ["binary", masked(0x82, text), 1003],
    ["of a kind that there is not", masked(0x83, text), 1002],
    ["the rest of a message without a beginning", masked(0x80, text), 1002],
    ["a ping in parts", masked(0x09, text), 1002],
    ["a beginning within a message", Buffer.concat([masked(0x01, text), masked(0x81, text)]), 1002],
    ["of four gigabytes", Buffer.from("81ff000000010000000000000000", "hex"), 1009],
    ["of more than can be counted", Buffer.from("81ffffffffffffffffff00000000", "hex"), 1009],
  ])("closes it: %s", async (_name, bytes, code) => {
    const server = await openServer();
    const socket = await openSocket(server, {});
    socket.write(bytes);
    expect(await socket.closed).toBe(code);
  });

  it("in too many parts are refused", async () => {
    const server = await openServer();
    const socket = await openSocket(server, { authorization: `Bearer ${server.tokens.ann.read}` });
    const middle = Array.from({ length: 1_000 }, () => masked(0x00, Buffer.from(" ")));
    socket.write(Buffer.concat([masked(0x01, text), ...middle, masked(0x80, Buffer.from(" "))]));
    expect(await socket.closed).toBe(1008);
  });

  it("in parts of one byte, with a ping between them, are accepted", async () => {
    const server = await openServer();
    const socket = await openSocket(server, {});
    const bytes = Buffer.concat([
      masked(0x01, text.subarray(0, 5)),
      masked(0x89, Buffer.from("there?")),
      masked(0x00, text.subarray(5, 9)),
      masked(0x80, text.subarray(9)),
    ]);
    for (const byte of bytes) {
      socket.write(Buffer.from([byte]));
      await new Promise(setImmediate);
    }
    await until(() => socket.said.length === 1);
    expect(socket.said).toEqual([{ type: "pong" }]);
    expect(socket.pongs).toEqual(["there?"]);
    socket.end();
  });

  it("that arrive with the request are accepted", async () => {
    const server = await openServer();
    const socket = await openSocket(server, {}, "/graphql", frame({ type: "ping" }));
    await until(() => socket.said.length === 1);
    expect(socket.said).toEqual([{ type: "pong" }]);
    socket.end();
  });

  it("end soon after a close, even if the client does not answer it", MEASURED, async () => {
    const server = await openServer();
    const socket = await openSocket(server, {});
    socket.say("{");
    expect(await socket.closed).toBe(4400);
    const began = performance.now();
    await socket.gone;
    expect(performance.now() - began).toBeLessThan(5_000);
  });

  it("end if the client disconnects", async () => {
    const times = { heartbeat: 200, stalled: 5000, answer: 5000 };
    const server = await openServer({ times });
    const { ann } = server.tokens;
    const socket = await openSocket(server, { authorization: `Bearer ${ann.read}` });
    socket.say({ type: "connection_init" });
    // It answers no ping.
    expect(await socket.closed).toBe(0);
  });
});

describe("over TLS", () => {
  const made = makeCertificate();
  it.skipIf(!made)("it is the same (needs openssl)", async () => {
    const server = await openServer({ address: { tls: made } });
    const authorization = `Bearer ${server.tokens.ann.read}`;
    const socket = await openSocket(server, { authorization }, "/graphql", Buffer.alloc(0), true);
    socket.say({ type: "connection_init" });
    await until(() => socket.said.length === 1);
    expect(socket.said).toEqual([{ type: "connection_ack" }]);
    socket.end();
    const foreign = { authorization, origin: `http://127.0.0.1:${server.port}` };
    await expect(openSocket(server, foreign, "/graphql", Buffer.alloc(0), true)).rejects.toThrow(
      "HTTP/1.1 403",
    );
  });
});

function makeCertificate(): { readonly cert: string; readonly key: string } | null {
  const folder = mkdtempSync(join(tmpdir(), "belay-tls-"));
  const [cert, key] = [join(folder, "cert.pem"), join(folder, "key.pem")];
  const subject = ["-subj", "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1"];
  const curve = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];
  const files = ["-keyout", key, "-out", cert, "-days", "2"];
  afterEachFile(() => rmSync(folder, { recursive: true, force: true }));
  const { status } = spawnSync("openssl", ["req", "-x509", ...curve, ...subject, ...files]);
  if (status !== 0) return null;
  return { cert, key };
}
