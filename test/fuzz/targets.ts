import { deepStrictEqual, ok } from "node:assert/strict";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { IncomingMessage } from "node:http";
import { connect, createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { translateUpdate } from "../../src/agent/acp/translate-update.ts";
import { BelayError } from "../../src/contract/errors.ts";
import type { ImportTool } from "../../src/contract/vocabulary.ts";
import { IMPORT_TOOLS } from "../../src/contract/vocabulary.ts";
import { WebSocket } from "../../src/doors/http/sockets/web-socket.ts";
import { limitLines } from "../../src/doors/mcp/limit-lines.ts";
import { LineSplitter } from "../../src/files/line-splitter.ts";
import type { Conversation, Damage, ReportDamage } from "../../src/import/conversation.ts";
import { salvageObjects } from "../../src/import/salvage-objects.ts";
import { BadPayload, parsePayload } from "../../src/integrations/claude/hooks/payload.ts";
import { planHook } from "../../src/integrations/claude/hooks/plan-hook.ts";
import { readNamedBacklog } from "../../src/integrations/copilot/backlog-file.ts";
import { readEventLog } from "../../src/integrations/copilot/read-event-log.ts";
import { readStateFile } from "../../src/integrations/copilot/read-state-file.ts";
import { IMPORTERS } from "../../src/integrations/importers.ts";
import { newId } from "../../src/service/new-id.ts";
import { scanJson } from "../../src/service/scan-json.ts";
import { readSse } from "../../web/src/live/read-sse.ts";

/** Runs one input, in two pieces at `cut`. Throws if the parser breaks its promise. */
export type FuzzTarget = (input: Buffer, cut: number) => void | Promise<void>;

/** Every parser of outside input. */
export const PARSERS = {
  scanJson,
  parsePayload,
  readSse,
  limitLines,
  readStateFile,
  readConversations: (tool: ImportTool, path: string, report: ReportDamage) =>
    IMPORTERS[tool].read(path, report, async () => [path]),
  splitLines: (longest: number): Pick<LineSplitter, "push" | "rest"> => new LineSplitter(longest),
  openSocket: (socket: Socket, head: Buffer): Promise<Pick<WebSocket, "messages" | "close">> => {
    const request = Object.assign(new IncomingMessage(socket), { method: "GET", url: "/graphql" });
    request.headers = {
      upgrade: "websocket",
      "sec-websocket-version": "13",
      "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==",
    };
    const times = { heartbeat: 60_000, stalled: 1000 };
    return WebSocket.accept(request, socket, head, "graphql-transport-ws", {}, times);
  },
};

/** The promises of each parser for any input. */
export function createTargets({
  scanJson,
  parsePayload,
  readSse,
  limitLines,
  readStateFile,
  readConversations,
  splitLines,
  openSocket,
}: typeof PARSERS): Record<TargetName, FuzzTarget> {
  return {
    /** Accepted text can be parsed and is not too deep; unparsable text is not accepted. */
    json(input) {
      const text = input.toString();
      const fault = scanJson(text);
      const parsed = attempt(() => JSON.parse(text));
      if (fault === null) ok(parsed.succeeded, "passed, and is no JSON");
      else ok(fault.position >= 0 && fault.position <= text.length, "a fault outside of the text");
      if (!parsed.succeeded) ok(fault !== null);
    },

    hook(input) {
      const here = { now: Date.now, newId };
      for (const name of ["claude-code", "subagent-stop", "Stop"]) {
        const { error } = attempt(() => planHook(name, parsePayload(input.toString()), here));
        ok(error === undefined || error instanceof BadPayload, String(error));
      }
    },

    /** Frames of an agent are the same however they are cut, and an update becomes one of ours or nothing. */
    acp(input, cut) {
      const whole = linesOf(splitLines, [input]);
      deepStrictEqual(linesOf(splitLines, [input.subarray(0, cut), input.subarray(cut)]), whole);
      for (const line of whole) {
        const frame = attempt(() => JSON.parse(line));
        if (frame.succeeded) translateUpdate(frame.value, () => undefined);
      }
    },

    async mcp(input, cut) {
      const read = async (parts: Buffer[]) => {
        const lines = limitLines(() => {});
        const read: Buffer[] = [];
        lines.on("data", (bytes: Buffer) => read.push(bytes));
        for (const part of parts) lines.write(part);
        lines.end();
        await once(lines, "end");
        return String(Buffer.concat(read));
      };
      deepStrictEqual(
        await read([input.subarray(0, cut), input.subarray(cut)]),
        await read([input]),
      );
    },

    async sse(input, cut) {
      const read = async (parts: Buffer[]) => {
        const messages = [];
        for await (const message of readSse(streamOf(parts))) messages.push(message);
        return messages;
      };
      deepStrictEqual(
        await read([input.subarray(0, cut), input.subarray(cut)]),
        await read([input]),
      );
    },

    /** Every message is within its limit, and the connection ends when the client has gone. */
    async websocket(input, cut) {
      const { server, client } = await connected();
      const socket = await openSocket(server, input.subarray(0, Math.min(cut, 14)));
      client.on("error", () => {}).resume();
      client.write(input.subarray(Math.min(cut, 14)));
      client.end();
      for await (const message of socket.messages()) ok(message.length <= 8192);
      socket.close(1000, "");
      client.destroy();
      server.destroy();
    },

    /** A damaged file gives a result, or a refusal that names the damage. */
    importers(input) {
      salvageObjects(input.toString());
      const path = scratchFile();
      writeFileSync(path, input);
      for (const read of [
        () => readEventLog(path),
        () => readStateFile(path),
        () => readNamedBacklog(path, 0),
      ]) {
        const { error } = attempt(read);
        ok(error === undefined || error instanceof BelayError, String(error));
      }
    },

    /** Whatever a file contains, each reader returns conversations that can be read fully, and names damage by line. */
    async readers(input, cut) {
      const tool = IMPORT_TOOLS[cut % IMPORT_TOOLS.length] ?? "claude-code";
      const path = `${scratchFile()}.${DOCUMENTS.has(tool) ? "json" : "jsonl"}`;
      writeFileSync(path, input);
      const damage: Damage[] = [];
      const report: ReportDamage = (each) => damage.push(each);
      for await (const conversation of readConversations(tool, path, report)) {
        await readWhole(conversation);
      }
      const unnamed = damage.filter(({ line }) => line === null || line < 1);
      deepStrictEqual(unnamed, [], `${tool} names no line`);
    },
  };
}

export type TargetName =
  | "json"
  | "hook"
  | "acp"
  | "mcp"
  | "sse"
  | "websocket"
  | "importers"
  | "readers";

export const TARGETS = createTargets(PARSERS);

/** Tools whose files are one document each. */
const DOCUMENTS: ReadonlySet<string> = new Set(["chatgpt", "claude-ai", "opencode", "atif"]);

async function readWhole({ id, branches }: Conversation): Promise<void> {
  ok(id !== "", "a conversation without an id");
  for (const branch of await branches(new Map())) {
    for (const turn of branch.turns.keys()) {
      for await (const { at } of branch.items(turn))
        ok(at === null || Number.isFinite(at), `at ${at}`);
    }
  }
}

let scratch: string | null = null;

/** One file for all inputs of this process, because creating a folder for each took most of the time. */
function scratchFile(): string {
  if (scratch === null) {
    const folder = mkdtempSync(join(tmpdir(), "belay-fuzz-"));
    process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
    scratch = join(folder, "file");
  }
  return scratch;
}

type Attempt =
  | { readonly succeeded: true; readonly value: unknown; readonly error?: undefined }
  | { readonly succeeded: false; readonly error: unknown };

function attempt(work: () => unknown): Attempt {
  try {
    return { succeeded: true, value: work() };
  } catch (error) {
    return { succeeded: false, error };
  }
}

function linesOf(splitLines: typeof PARSERS.splitLines, parts: readonly Buffer[]): string[] {
  const splitter = splitLines(2048);
  const lines = parts.flatMap((part) => [...splitter.push(part)]);
  const rest = splitter.rest();
  return [...lines, ...(rest ? [rest] : [])].map((line) =>
    line.kind === "line" ? line.bytes.toString() : `${line.size}`,
  );
}

function streamOf(parts: readonly Buffer[]): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start(controller) {
      for (const part of parts) controller.enqueue(part);
      controller.close();
    },
  });
}

async function connected(): Promise<{ readonly server: Socket; readonly client: Socket }> {
  const listener = createServer({ allowHalfOpen: true }).listen(0, "127.0.0.1");
  await once(listener, "listening");
  const address = listener.address();
  const client = connect(typeof address === "object" && address ? address.port : 0, "127.0.0.1");
  const [server] = await once(listener, "connection");
  listener.close();
  return { server, client };
}
