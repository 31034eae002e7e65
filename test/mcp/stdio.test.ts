import type { ChildProcessWithoutNullStreams } from "node:child_process";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { McpLab } from "./mcp-lab.ts";
import { BELAY_MCP, call, openLab, WAYS } from "./mcp-lab.ts";

let lab: McpLab;
beforeAll(async () => {
  lab = await openLab();
});
afterAll(() => lab.close());

const start = (): ChildProcessWithoutNullStreams =>
  spawn(process.execPath, BELAY_MCP, { env: lab.env });

const initialize = (name: string) => ({
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name, version: "1" } },
});
const toolCall = (id: number, name: string, args: object) => ({
  jsonrpc: "2.0",
  id,
  method: "tools/call",
  params: { name, arguments: args },
});
const line = (message: object) => `${JSON.stringify(message)}\n`;

/** Its whole output, after it got the whole input at once. */
async function tell(input: string) {
  const child = start();
  child.stdin.end(input);
  const [stdout, stderr] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    ended(child),
  ]);
  const messages = stdout
    .split("\n")
    .filter((said) => said !== "")
    .map((said) => JSON.parse(said));
  return { code: child.exitCode, messages, stderr };
}

async function ended(child: ChildProcessWithoutNullStreams): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
}

/** Internet sockets that a process has open. */
function portsOf(pid: number): string[] {
  const inodes = readdirSync(`/proc/${pid}/fd`).flatMap((fd) => {
    try {
      return /^socket:\[(\d+)\]$/.exec(readlinkSync(`/proc/${pid}/fd/${fd}`))?.[1] ?? [];
    } catch {
      return [];
    }
  });
  return ["tcp", "tcp6", "udp", "udp6"].flatMap((kind) =>
    readFileSync(`/proc/${pid}/net/${kind}`, "utf8")
      .split("\n")
      .filter((row) => inodes.includes(row.trim().split(/\s+/)[9] ?? "")),
  );
}

describe("belay mcp on stdio", () => {
  it("opens no port", async () => {
    const child = start();
    child.stdin.write(line(initialize("portless")));
    await once(child.stdout, "data");
    expect(child.pid && portsOf(child.pid)).toEqual([]);
    // The same check on this process finds the lab's server.
    expect(portsOf(process.pid)).not.toEqual([]);
    child.stdin.end();
    await ended(child);
  });

  it("answers all requests before the end of its input, and prints only protocol lines", async () => {
    const requests = Array.from({ length: 40 }, (_, at) =>
      toolCall(at + 2, "create_session", { agent_name: "nine", session_id: `piped-${at}` }),
    );
    const { code, messages, stderr } = await tell(
      [initialize("pipe"), ...requests].map(line).join(""),
    );
    expect(code).toBe(0);
    expect(stderr).toBe("");
    expect(messages.map(({ jsonrpc }) => jsonrpc)).toEqual(Array(41).fill("2.0"));
    expect(messages.map(({ id }) => id).sort((a, b) => a - b)).toEqual(
      Array.from({ length: 41 }, (_, at) => at + 1),
    );
    for (const { result } of messages) expect(result?.isError).not.toBe(true);
    const page = await lab.service.call("list", { agent: "nine" }, lab.caller);
    expect(page.sessions).toHaveLength(40);
  });

  it("ends with its input, also without requests", async () => {
    expect(await tell("")).toEqual({ code: 0, messages: [], stderr: "" });
  });

  it("ends when nobody reads its answers", async () => {
    const child = start();
    child.stdin.write(line(initialize("deaf")));
    await once(child.stdout, "data");
    child.stdout.destroy();
    child.stdin.on("error", () => {});
    child.stdin.write(line(toolCall(2, "list_sessions", {})));
    await ended(child);
    expect(child.signalCode).toBe(null);
  });

  it("ignores lines that are not protocol messages", async () => {
    const { messages, stderr } = await tell(
      `not json\n{"half":\n[]\n"text"\n${line(initialize("odd"))}{"jsonrpc":"1.0"}\n${line(
        toolCall(2, "list_approvals", {}),
      )}`,
    );
    expect(messages.filter(({ result }) => result).map(({ id }) => id)).toEqual([1, 2]);
    expect(stderr).toBe("");
  });

  it("answers a message that is too long with an error, and continues", async () => {
    const long = "x".repeat(11 * 1024 * 1024);
    const last = `{"jsonrpc":"2.0","method":"tools/call","params":{"id":7,"x":"${long}"},"id":"nine"}\n`;
    const { code, messages } = await tell(
      [
        line(initialize("long")),
        line(toolCall(2, "create_session", { agent_name: "nine", title: long })),
        last,
        `${long}\n`,
        line(toolCall(3, "list_sessions", { limit: 1 })),
      ].join(""),
    );
    expect(code).toBe(0);
    const message = expect.stringMatching(/too long: at most 8388608 bytes/);
    for (const id of [2, "nine", null]) {
      expect(messages).toContainEqual({ jsonrpc: "2.0", id, error: { code: -32600, message } });
    }
    expect(messages.filter(({ result }) => result).map(({ id }) => id)).toEqual([1, 3]);
  });

  it("does not store an endless line, and ends with its input", async () => {
    const child = start();
    for (let sent = 0; sent < 64; sent += 1) {
      if (!child.stdin.write("x".repeat(1024 * 1024))) await once(child.stdin, "drain");
    }
    const peak = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${child.pid}/status`, "utf8"))?.[1];
    expect(Number(peak)).toBeLessThan(250 * 1024);
    child.stdin.end();
    await ended(child);
    expect(child.exitCode).toBe(0);
  });

  it.each(WAYS.filter(({ way }) => way === "stdio"))(
    "uses the client's name as actor, in one short line ($mode)",
    async (way) => {
      const name = ` user:evil\u0000\n\u202eclient \u{1F600}${"x".repeat(300)}`;
      const client = await lab.connect(way, { name });
      const session_id = `named-${way.mode}`;
      await call(client, "create_session", { agent_name: "nine", session_id });
      const { value } = await call(client, "read_log", { id: session_id });
      expect(value.events[0]).toMatchObject({
        actor: `user-evil⟦U+0000⟧ ↵ ⟦U+202E⟧client \u{1F600}${"x".repeat(28)}`,
        interface: "mcp",
      });
    },
  );

  it("uses its own name if the client has none", async () => {
    await tell(
      line(initialize(" \t ")) +
        line(toolCall(2, "create_session", { agent_name: "nine", session_id: "nameless" })),
    );
    const { events } = await lab.service.call("log", { id: "nameless" }, lab.caller);
    expect(events[0]?.actor).toBe("mcp");
  });
});
