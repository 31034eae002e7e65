import { once } from "node:events";
import { connect } from "node:net";
import { describe, expect, it } from "vitest";
import { MEASURED } from "../patience.ts";
import { openServer, type ServerOptions, type TestServer } from "./open-server.ts";
import { prepare } from "./route-table.ts";
import { sendBytes } from "./send.ts";
import { until } from "./until.ts";

describe("a server that shuts down", () => {
  it("finishes open requests, and accepts no new ones", async () => {
    const gate = Promise.withResolvers<void>();
    const server = await openServer(slowToPin(gate.promise));
    const { id } = await prepare(server);
    const socket = connect(server.port, "127.0.0.1");
    const chunks: string[] = [];
    socket.on("data", (chunk) => chunks.push(String(chunk)));
    socket.write(pinRequest(server, id));
    await until(() => waiting > 0);
    const closed = server.close();
    // A further request of the same client gets a retry answer.
    socket.write(pinRequest(server, id));
    const isRefused = () =>
      sendBytes(server.port, "GET / HTTP/1.1\r\n\r\n").then(
        () => false,
        (error) => String(error).includes("ECONN"),
      );
    await until(isRefused);
    gate.resolve();
    await once(socket, "close");
    await closed;
    const answers = chunks.join("");
    expect(answers).toMatch(/^HTTP\/1.1 200 /);
    expect(answers).toContain('"pinned":true');
    const [, second = ""] = answers.split(/(?=HTTP\/1.1 503)/);
    if (second !== "") expect(second).toMatch(/retry-after: 1/i);
  });

  it("stops waiting after a time", async () => {
    const server = await openServer({
      ...slowToPin(new Promise(() => undefined)),
      times: { grace_ms: 200 },
    });
    const { id } = await prepare(server);
    const asked = sendBytes(server.port, pinRequest(server, id)).catch(() => "");
    await until(() => waiting > 0);
    await server.close();
    expect(await asked).toBe("");
  });

  it("does not wait for idle connections", MEASURED, async () => {
    const server = await openServer();
    const socket = connect(server.port, "127.0.0.1");
    await once(socket, "connect");
    socket.write(`GET /health HTTP/1.1\r\nHost: localhost:${server.port}\r\n\r\n`);
    await once(socket, "data");
    const started = Date.now();
    await server.close();
    expect(Date.now() - started).toBeLessThan(2000);
    if (!socket.closed) await once(socket, "close");
  });

  it("ends its streams cleanly, so that clients reconnect", MEASURED, async () => {
    const server = await openServer();
    const { id } = await prepare(server);
    const stream = await follow(server, id, server.tokens.ann.read);
    const started = Date.now();
    const closed = server.close();
    // Complete to its last chunk: an answer that breaks off would throw here.
    for (;;) if ((await stream.read()).done) break;
    await closed;
    expect(Date.now() - started).toBeLessThan(3000);
  });
});

describe("a token that is revoked", () => {
  it("ends its own streams soon, and no others", async () => {
    const server = await openServer({ times: { admission_ms: 50 } });
    const { id } = await prepare(server);
    const doomed = await server.makeToken("ann", "read");
    const streams = await Promise.all([
      follow(server, id, doomed.token),
      follow(server, id, doomed.token),
      follow(server, id, server.tokens.ann.read),
    ]);
    const ended = streams.map(() => false);
    streams.forEach(async (stream, at) => {
      for (;;) if ((await stream.read()).done) break;
      ended[at] = true;
    });
    await expectStreams(server, 3);
    await server.revoke(doomed.id);
    await until(() => ended[0] === true && ended[1] === true);
    expect(ended).toEqual([true, true, false]);
    await expectStreams(server, 1);
  });

  it("also ends streams of other doors", async () => {
    const server = await openServer({ times: { admission_ms: 50 } });
    const { id } = await prepare(server);
    const doomed = await server.makeToken("ann", "read");
    const headers = {
      authorization: `Bearer ${doomed.token}`,
      accept: "text/event-stream",
      "content-type": "application/json",
    };
    const query = `subscription { agentSessionEvents(sessionId: "${id}") { seq } }`;
    const asked = { method: "POST", headers, body: JSON.stringify({ query }) };
    const { body } = await fetch(`${server.url}/graphql`, asked);
    const reader = body?.getReader();
    await reader?.read();
    await expectStreams(server, 1);
    await server.revoke(doomed.id);
    while (!(await reader?.read())?.done);
    await expectStreams(server, 0);
  });

  it("is checked once for all its streams, and only while it has any", async () => {
    let watched: string | null = null;
    const asked: number[] = [];
    const server = await openServer({
      times: { admission_ms: 50 },
      wrap: (store) => ({
        ...store,
        read(reads, ...more) {
          const found = reads.filter(({ ref }) => "id" in ref && ref.id === watched).length;
          if (found > 0) asked.push(found);
          return store.read(reads, ...more);
        },
      }),
    });
    const { id } = await prepare(server);
    const reader = await server.makeToken("ann", "read");
    const streams = await Promise.all([1, 2, 3].map(() => follow(server, id, reader.token)));
    watched = reader.id;
    await until(() => asked.length >= 4);
    expect(new Set(asked)).toEqual(new Set([1]));
    await Promise.all(streams.map((stream) => stream.cancel()));
    await expectStreams(server, 0);
    const sofar = asked.length;
    await until(async () => {
      await server.ask("GET", "/health");
      return true;
    });
    expect(asked.length - sofar).toBeLessThanOrEqual(1);
  });

  it("stays valid while the store cannot answer", async () => {
    let failures = 0;
    let watched: string | null = null;
    const server = await openServer({
      times: { admission_ms: 20 },
      wrap: (store) => ({
        ...store,
        async read(reads, ...more) {
          if (!reads.some(({ ref }) => "id" in ref && ref.id === watched)) {
            return store.read(reads, ...more);
          }
          failures += 1;
          throw new Error("the store is busy");
        },
      }),
    });
    const { id } = await prepare(server);
    const reader = await server.makeToken("ann", "read");
    const stream = await follow(server, id, reader.token);
    watched = reader.id;
    await until(() => failures > 3);
    await expectStreams(server, 1);
    await stream.cancel();
  });
});

let waiting = 0;

/** A server that pins sessions only after a promise. */
function slowToPin(gate: Promise<void>): Pick<ServerOptions, "broken"> {
  waiting = 0;
  return {
    broken: (app) => ({
      ...app,
      service: {
        async call(name, input, caller) {
          if (name === "pin") {
            waiting += 1;
            await gate;
          }
          return app.service.call(name, input, caller);
        },
      },
    }),
  };
}

function pinRequest({ port, tokens }: TestServer, id: string): string {
  return [
    `POST /sessions/${id}/pin HTTP/1.1`,
    `Host: localhost:${port}`,
    `Authorization: Bearer ${tokens.ann.write}`,
    "Content-Type: application/json",
    "Content-Length: 2",
    "",
    "{}",
  ].join("\r\n");
}

async function follow({ url }: TestServer, id: string, token: string) {
  const headers = { authorization: `Bearer ${token}`, accept: "text/event-stream" };
  const { status, body } = await fetch(`${url}/sessions/${id}/events`, { headers });
  if (status !== 200 || !body) throw new Error(`no stream: ${status}`);
  const reader = body.getReader();
  await reader.read();
  return reader;
}

async function expectStreams({ ask, tokens }: TestServer, count: number): Promise<void> {
  await until(async () => {
    const { text } = await ask("GET", "/metrics", { token: tokens.ann.admin });
    return text.includes(`belay_http_open_streams ${count}\n`);
  });
}
