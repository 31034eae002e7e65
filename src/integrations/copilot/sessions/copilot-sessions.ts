import { basename, dirname, join } from "node:path";
import type { Conversation, Item } from "../../../import/conversation.ts";
import { listIn, plainText, recordIn, textIn, timeIn } from "../../../import/fields.ts";
import { findBranches } from "../../../import/find-branches.ts";
import { firstLine } from "../../../import/first-line.ts";
import type { ConversationReader } from "../../../import/import-conversations.ts";
import { RecordChain } from "../../../import/record-chain.ts";
import type { Fields, RecordPosition } from "../../../import/record-file.ts";
import { RecordFile } from "../../../import/record-file.ts";

/** Reads the sessions of Copilot CLI: one event log each, in which sub-agents have ids of their own. */
export const copilotSessions: ConversationReader = {
  tool: "copilot",
  home: (env, userHome) => join(env.COPILOT_HOME || join(userHome, ".copilot"), "session-state"),
  async *read(path, report) {
    const file = new RecordFile(path);
    try {
      const threads = new Map<string | null, Thread>();
      let start: Fields = {};
      await file.scan(report, (record, place) => {
        if (record.type === "session.start") start = recordIn(record.data);
        const agent = textIn(record.agentId);
        const thread = threads.get(agent) ?? {
          chain: new RecordChain<RecordPosition>(),
          prompt: null,
          times: [],
        };
        threads.set(agent, thread);
        see(thread, record, place);
      });
      const name =
        basename(path) === "events.jsonl" ? basename(dirname(path)) : basename(path, ".jsonl");
      for (const [agent, thread] of threads) {
        if (thread.chain.nodes.length > 0) yield conversationOf(file, name, start, agent, thread);
      }
    } finally {
      file.close();
    }
  },
};

interface Thread {
  readonly chain: RecordChain<RecordPosition>;
  prompt: string | null;
  readonly times: number[];
}

function see(thread: Thread, record: Fields, place: RecordPosition): void {
  const at = timeIn(record.timestamp);
  if (at !== null) {
    thread.times[0] ??= at;
    thread.times[1] = Math.max(thread.times[1] ?? at, at);
  }
  const isPrompt = record.type === "user.message";
  if (isPrompt) thread.prompt ??= textIn(recordIn(record.data).content);
  if (!isPrompt && !TOLD.has(textIn(record.type) ?? "")) return;
  const id = textIn(record.id) ?? `${place.line}.${place.nth}`;
  if (!thread.chain.has(id)) thread.chain.add(id, isPrompt ? "prompt" : "answer", place);
}

const TOLD = new Set([
  "assistant.message",
  "assistant.turn_end",
  "tool.execution_start",
  "tool.execution_complete",
  "session.compaction_complete",
  "session.error",
  "abort",
]);

function conversationOf(
  file: RecordFile,
  name: string,
  start: Fields,
  agent: string | null,
  { chain, prompt, times }: Thread,
): Conversation {
  const session = textIn(start.sessionId) ?? name;
  const { cwd, branch } = recordIn(start.context);
  return {
    id: agent === null ? session : `${session}.${agent}`,
    title: firstLine(prompt),
    cwd: textIn(cwd),
    git_branch: textIn(branch),
    started_at: times[0] ?? null,
    updated_at: times[1] ?? null,
    agent: { name: "copilot", session_id: agent === null ? session : null },
    parent: agent === null ? null : { id: session, call: null },
    metadata: {},
    branches: (stored) =>
      findBranches(chain.nodes, stored, function* (places) {
        const called = new Set<string>();
        for (const place of places) yield* itemsOf(file.read(place), called);
      }),
  };
}

function* itemsOf(record: Fields, called: Set<string>): Generator<Item> {
  const at = timeIn(record.timestamp);
  const data = recordIn(record.data);
  switch (record.type) {
    case "user.message":
      yield { kind: "prompt", at, text: plainText(data.content) };
      return;
    case "assistant.message": {
      const thought = textIn(data.reasoningText);
      if (thought !== null) yield { kind: "said", at, as: "thought", text: thought };
      const text = plainText(data.content);
      if (text !== "") yield { kind: "said", at, as: "message", text };
      const requests = listIn(data.toolRequests).map(recordIn);
      for (const call of requests) yield* callItem(call, call.name, at, called);
      if (requests.length === 0) yield { kind: "ended", at, outcome: "completed", error: null };
      return;
    }
    case "tool.execution_start":
      yield* callItem(data, data.toolName, at, called);
      return;
    case "tool.execution_complete": {
      const id = textIn(data.toolCallId);
      if (id === null) return;
      const failed = data.success === false;
      const told = recordIn(failed ? data.error : data.result);
      const output = plainText(told.content ?? told.message ?? data.result ?? data.error);
      yield { kind: "returned", at, id, failed, output };
      return;
    }
    case "session.compaction_complete": {
      const id = textIn(record.id) ?? "compaction";
      yield { kind: "compacted", at, id, summary: textIn(data.summaryContent) ?? "" };
      return;
    }
    case "session.error":
      yield { kind: "ended", at, outcome: "failed", error: textIn(data.message) };
      return;
    case "abort":
      yield { kind: "ended", at, outcome: "interrupted", error: null };
  }
}

/** The model requests a call, then it starts: both contain the same data. */
function* callItem(
  call: Fields,
  name: unknown,
  at: number | null,
  called: Set<string>,
): Generator<Item> {
  const id = textIn(call.toolCallId);
  if (id === null || called.has(id)) return;
  called.add(id);
  yield { kind: "called", at, id, name: textIn(name) ?? "tool", input: call.arguments };
}
