import { once } from "node:events";
import { Agent, request } from "node:http";
import { connect } from "node:net";
import { describe, expect, it } from "vitest";
import { openServer, type TestServer } from "./open-server.ts";
import { errorOf, send, sendBytes } from "./send.ts";
import { until } from "./until.ts";

const IMPATIENT = { headers_ms: 400, request_ms: 800, check_ms: 50 };

describe("a slow sender", () => {
  const SLOW = {
    "sends nothing but a line": () => "GET /sessions HTTP/1.1\r\n",
    "does not end its headers": (server: TestServer) =>
      `GET /sessions HTTP/1.1\r\nHost: localhost:${server.port}\r\n`,
    "sends half of its body": (server: TestServer) => `${post(server, 100)}{"agent_name":`,
    "sends half of a chunk": (server: TestServer) => `${post(server, null)}64\r\n{"agent_name":`,
  };

  it.each(Object.entries(SLOW))("gets a timeout error if it %s", async (_, bytes) => {
    const server = await openServer({ times: IMPATIENT });
    const started = Date.now();
    const [head = "", body = ""] = (await sendBytes(server.port, bytes(server))).split("\r\n\r\n");
    expect(head).toMatch(/^HTTP\/1.1 408 /);
    expect(head).toMatch(/connection: close/i);
    expect(errorOf(body)).toBe("request_timeout");
    expect(Date.now() - started).toBeGreaterThan(300);
    await expectHealthy(server);
  });

  it("gets no more time for a byte now and then", async () => {
    const server = await openServer({ times: IMPATIENT });
    const socket = connect(server.port, "127.0.0.1");
    socket.on("error", () => undefined);
    const answer: string[] = [];
    socket.on("data", (chunk) => answer.push(String(chunk)));
    socket.write(post(server, 100_000));
    const drip = setInterval(() => socket.write(" "), 20);
    await once(socket, "close");
    clearInterval(drip);
    expect(answer.join("")).toMatch(/^HTTP\/1.1 408 /);
    await until(() => server.log().includes('"route":"/sessions","status":408'));
    await expectHealthy(server);
  });

  it("delays no other client, however many there are", async () => {
    const server = await openServer({
      times: { ...IMPATIENT, headers_ms: 1500, request_ms: 1500 },
    });
    const sockets = Array.from({ length: 100 }, () => {
      const socket = connect(server.port, "127.0.0.1");
      socket.on("error", () => undefined);
      socket.write(`${post(server, 100)}{`);
      return socket;
    });
    await Promise.all(sockets.map((socket) => once(socket, "connect")));
    await expectHealthy(server);
    // A client that reads nothing does not see the end either.
    for (const socket of sockets) socket.resume();
    await until(() => sockets.every((socket) => socket.closed));
    await expectHealthy(server);
  });

  it("is refused at once without a token", async () => {
    const server = await openServer();
    const head = `POST /sessions HTTP/1.1\r\nHost: localhost:${server.port}\r\n`;
    const rest = "Content-Type: application/json\r\nContent-Length: 1000\r\n\r\n{";
    const answer = await sendBytes(server.port, head + rest);
    expect(answer).toMatch(/^HTTP\/1.1 401 /);
    expect(answer).toMatch(/connection: close/i);
  });

  it("is forgotten when it disconnects", async () => {
    const server = await openServer();
    for (let times = 0; times < 50; times += 1) {
      const socket = connect(server.port, "127.0.0.1");
      socket.on("error", () => undefined);
      await once(socket, "connect");
      socket.write(`${post(server, 100)}{"agent`, () => socket.resetAndDestroy());
      await once(socket, "close");
    }
    await expectHealthy(server);
    await until(() => (server.log().match(/"status":(?:499|408)/g)?.length ?? 0) === 50);
    expect(server.log()).not.toContain('"level":50');
  });
});

describe("a client that does not read its answer", () => {
  it("is disconnected", async () => {
    const server = await openServer({ times: { answer_ms: 300 } });
    const body = { agent_name: "talkative", session_id: "long-answers" };
    await server.ask("POST", "/sessions", { body });
    const turn = { input: "go on", output: "x".repeat(3_900_000) };
    await server.ask("POST", "/sessions/long-answers/turns", { body: turn });
    const socket = connect(server.port, "127.0.0.1");
    socket.on("error", () => undefined);
    socket.pause();
    // More than the buffers between the two can hold.
    socket.write(get(server, "/sessions/long-answers/messages").repeat(6));
    await until(() => count(server.log(), "/messages") > 0);
    const whole = await server.ask("GET", "/sessions/long-answers/messages");
    expect([whole.status, whole.text.length > 1_900_000]).toEqual([200, true]);
    socket.destroy();
  });
});

describe("a request that is too large", () => {
  it("is refused by its Content-Length, before the body is read", async () => {
    const server = await openServer();
    const answer = await sendBytes(server.port, post(server, 8 * 1024 * 1024 + 1));
    expect(answer).toMatch(/^HTTP\/1.1 413 /);
    expect(answer).toMatch(/connection: close/i);
    expect(errorOf(answer.split("\r\n\r\n")[1] ?? "")).toBe("too_large");
    await expectHealthy(server);
  });

  it("gets no 100 Continue", async () => {
    const server = await openServer();
    const expecting = (length: number) =>
      post(server, length).replace("\r\n\r\n", "\r\nExpect: 100-continue\r\n\r\n");
    expect(await sendBytes(server.port, expecting(9 * 1024 * 1024))).toMatch(/^HTTP\/1.1 413 /);
    const socket = connect(server.port, "127.0.0.1");
    const body = '{"agent_name":"asked"}';
    socket.write(expecting(body.length));
    expect(String((await once(socket, "data"))[0])).toMatch(/^HTTP\/1.1 100 Continue/);
    socket.write(body);
    expect(String((await once(socket, "data"))[0])).toMatch(/^HTTP\/1.1 201 /);
    socket.destroy();
    const refused = expecting(10).replace(/Authorization: .*?\r\n/, "");
    expect(await sendBytes(server.port, refused)).toMatch(/^HTTP\/1.1 401 /);
  });

  it("may also have a URL or headers of many kilobytes", async () => {
    const server = await openServer();
    const { status, json } = await server.ask("GET", `/sessions?agent=${"a".repeat(9000)}`);
    expect([status, json]).toMatchObject([413, { error: "too_large" }]);
    const head = `GET /health HTTP/1.1\r\nHost: localhost:${server.port}\r\nX: ${"x".repeat(40_000)}`;
    const answer = await sendBytes(server.port, `${head}\r\n\r\n`).catch(() => "HTTP/1.1 413 ");
    expect(answer).toMatch(/^HTTP\/1.1 413 /);
    await expectHealthy(server);
  });
});

describe("an invalid request", () => {
  it.each([
    ["nonsense", "NONSENSE\r\n\r\n"],
    ["another protocol", "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03"],
    ["a space in the path", "GET /a b HTTP/1.1\r\nHost: localhost\r\n\r\n"],
    ["two lengths", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n"],
    [
      "a length and chunks",
      "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
    ],
    ["a negative length", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n"],
    ["a header over two lines", "GET / HTTP/1.1\r\nHost: a\r\n folded\r\n\r\n"],
  ])("is refused: %s", async (_, bytes) => {
    const server = await openServer();
    const answer = await sendBytes(server.port, bytes);
    expect(answer).toMatch(/^HTTP\/1.1 400 /);
    expect(errorOf(answer.split("\r\n\r\n")[1] ?? "")).toBe("invalid_input");
    await expectHealthy(server);
  });

  it("opens no tunnel", async () => {
    const server = await openServer();
    const answer = await sendBytes(
      server.port,
      "CONNECT evil.example:80 HTTP/1.1\r\nHost: a\r\n\r\n",
    );
    expect(answer).not.toMatch(/^HTTP\/1.1 2/);
    await expectHealthy(server);
  });
});

describe("a connection", () => {
  it("serves one request after another", async () => {
    const server = await openServer();
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const ports = new Set<number | undefined>();
    for (let times = 0; times < 5; times += 1) {
      const sent = request({ agent, port: server.port, path: "/health" }).end();
      const [answer] = await once(sent, "response");
      ports.add(sent.socket?.localPort);
      answer.resume();
      await once(answer, "end");
    }
    agent.destroy();
    expect(ports.size).toBe(1);
  });

  it("answers pipelined requests in order", async () => {
    const server = await openServer();
    const last = get(server, "/health").replace("\r\n", "\r\nConnection: close\r\n");
    const all = get(server, "/sessions") + get(server, "/nothing") + last;
    const answer = await sendBytes(server.port, all);
    expect(answer.match(/(?<=HTTP\/1.1 )\d+/g)).toEqual(["200", "404", "200"]);
  });
});

/** The head of a request that announces this many bytes; null for chunks. */
function post({ port, tokens }: TestServer, length: number | null): string {
  return [
    "POST /sessions HTTP/1.1",
    `Host: localhost:${port}`,
    `Authorization: Bearer ${tokens.ann.write}`,
    "Content-Type: application/json",
    length === null ? "Transfer-Encoding: chunked" : `Content-Length: ${length}`,
    "\r\n",
  ].join("\r\n");
}

function get({ port, tokens }: TestServer, path: string): string {
  return [
    `GET ${path} HTTP/1.1`,
    `Host: localhost:${port}`,
    `Authorization: Bearer ${tokens.ann.read}`,
    "\r\n",
  ].join("\r\n");
}

function count(text: string, part: string): number {
  return text.split(part).length - 1;
}

async function expectHealthy({ port, tokens }: TestServer): Promise<void> {
  const headers = { authorization: `Bearer ${tokens.ann.read}` };
  expect((await send(port, "GET", "/sessions", { headers })).status).toBe(200);
}
