import { connect, type Socket } from "node:net";
import { describe, expect, it } from "vitest";
import { afterEachTest } from "../../clean-up.ts";
import { until } from "../../run/run-lab.ts";
import type { TestServer } from "../open-server.ts";
import { begin, openLive } from "./live-server.ts";

const open: Socket[] = [];
afterEachTest(() => {
  for (const socket of open.splice(0)) socket.destroy();
});

/** Sends these requests on one connection, and collects the bytes of the answers. */
function converse({ port }: TestServer, ...requests: readonly string[]): { text: string } {
  const socket = connect(port, "127.0.0.1");
  const answered = { text: "" };
  open.push(socket);
  socket.setEncoding("utf8").on("data", (text) => {
    answered.text += text;
  });
  socket.write(requests.join(""));
  return answered;
}

function request(server: TestServer, line: string, headers: readonly string[], body = ""): string {
  const all = [
    line,
    `host: 127.0.0.1:${server.port}`,
    `authorization: Bearer ${server.tokens.ann.write}`,
    ...headers,
  ];
  return `${all.join("\r\n")}\r\n\r\n${body}`;
}

const STREAM = ["accept: text/event-stream"];

/** The contents of the chunks at the start of a text. Throws if one has not the length that it says. */
function readChunks(text: string): string[] {
  const contents: string[] = [];
  let rest = Buffer.from(text);
  while (rest.length > 0) {
    const end = rest.indexOf("\r\n");
    const size = Number.parseInt(rest.subarray(0, end).toString(), 16);
    const after = end + 2 + size;
    expect(rest.subarray(after, after + 2).toString()).toBe("\r\n");
    contents.push(rest.subarray(end + 2, after).toString());
    rest = rest.subarray(after + 2);
  }
  return contents;
}

describe("the bytes of a stream", () => {
  it("are chunks that each contain one whole message, also with characters of several bytes", async () => {
    const server = await openLive();
    const id = await begin(server);
    await server.ask("POST", `/sessions/${id}/rename`, { body: { title: "größer € 🧗" } });
    const answered = converse(
      server,
      request(server, `GET /sessions/${id}/events HTTP/1.1`, STREAM),
    );
    await until("the title", () => /session.renamed[^\n]*\n[^\n]*\n\n\r\n$/.test(answered.text));
    const [head = "", ...rest] = answered.text.split("\r\n\r\n");
    expect(head).toMatch(/transfer-encoding: chunked/i);
    const [retry, ...messages] = readChunks(rest.join("\r\n\r\n"));
    expect(retry).toBe("retry: 1000\n\n");
    expect(messages.at(-1)).toContain("größer € 🧗");
    for (const message of messages)
      expect(message).toMatch(/^id: \d+-[0-9a-f]{8}\nevent: .+\ndata: .+\n\n$/);
  });

  it("are not chunks for a client of HTTP/1.0", async () => {
    const server = await openLive();
    const id = await begin(server);
    const answered = converse(
      server,
      request(server, `GET /sessions/${id}/events HTTP/1.0`, STREAM),
    );
    await until("an event", () => answered.text.includes("event: session.created"));
    const [head = "", body = ""] = answered.text.split("\r\n\r\n");
    expect(head).not.toMatch(/transfer-encoding/i);
    expect(body).toMatch(/^retry: 1000\n\nid: 1-[0-9a-f]{8}\nevent: session.created\ndata: \{/);
  });

  it("come after the answer to an earlier request of the same connection", async () => {
    const server = await openLive();
    const [id, other] = [await begin(server), await begin(server)];
    const body = JSON.stringify({ message: "/say hello" });
    const length = `content-length: ${Buffer.byteLength(body)}`;
    const answered = converse(
      server,
      request(
        server,
        `POST /sessions/${id}/messages HTTP/1.1`,
        ["content-type: application/json", length],
        body,
      ),
      request(server, `GET /sessions/${other}/events HTTP/1.1`, STREAM),
    );
    await until("the stream", () => answered.text.includes("event: session.created"));
    const renamed = { body: { title: "later" } };
    await server.ask("POST", `/sessions/${other}/rename`, renamed);
    await until("a later event", () =>
      /session.renamed[^\n]*\n[^\n]*\n\n\r\n$/.test(answered.text),
    );
    const [first = "", second = ""] = answered.text.split(/(?<=.)(?=HTTP\/1\.1 )/s);
    expect(first).toContain("hello");
    const [, ...rest] = second.split("\r\n\r\n");
    const messages = readChunks(rest.join("\r\n\r\n")).join("");
    expect(messages).toMatch(/^retry: 1000\n\nid: 1-[0-9a-f]{8}\nevent: session.created\n/);
    expect(messages).toMatch(/event: session.renamed\ndata: .+\n\n$/);
  });
});
