import { join } from "node:path";
import type { Conversation, Item } from "../../import/conversation.ts";
import { countIn, listIn, recordIn, textIn, timeIn } from "../../import/fields.ts";
import { findBranches } from "../../import/find-branches.ts";
import { firstLine } from "../../import/first-line.ts";
import type { ConversationReader } from "../../import/import-conversations.ts";
import { readWholeRecords } from "../../import/read-whole-records.ts";
import { RecordChain } from "../../import/record-chain.ts";
import type { Fields } from "../../import/record-file.ts";
import type { DocumentShape } from "../../import/salvage-document.ts";
import type { StoredMessage } from "./opencode-database.ts";
import { OpencodeDatabase } from "./opencode-database.ts";

/** Reads the sessions of OpenCode from its database, or from a file of `opencode export`. */
export const opencodeSessions: ConversationReader = {
  tool: "opencode",
  home: (env, userHome) =>
    env.OPENCODE_DB || join(env.XDG_DATA_HOME || join(userHome, ".local", "share"), "opencode"),
  async *read(path, report) {
    if (!path.endsWith(".db")) {
      for await (const record of readWholeRecords(path, report, SHAPE)) {
        const messages = listIn(record.messages).map(recordIn);
        if (textIn(recordIn(record.info).id) === null) continue;
        const stored = messages.map((message) => ({
          info: recordIn(message.info),
          parts: () => listIn(message.parts).map(recordIn),
        }));
        yield conversationOf(recordIn(record.info), stored);
      }
      return;
    }
    const database = await OpencodeDatabase.open(path);
    try {
      for (const session of database.sessions()) {
        yield conversationOf(session, database.messages(String(session.id), report));
      }
    } finally {
      database.close();
    }
  },
};

const SHAPE: DocumentShape = {
  ...{ whole: ["info", "messages"], part: ["info", "parts"], list: "messages" },
  rebuild: (header, parts, name) => ({ info: { id: name, ...header }, messages: parts }),
};

function conversationOf(info: Fields, messages: readonly StoredMessage[]): Conversation {
  const id = textIn(info.id) ?? "";
  const chain = new RecordChain<StoredMessage>();
  let updated = 0;
  for (const message of messages) {
    const { id: name, role, time } = message.info;
    const { created, completed } = recordIn(time);
    updated = Math.max(updated, timeIn(completed) ?? 0, timeIn(created) ?? 0);
    chain.add(
      textIn(name) ?? `${chain.nodes.length}`,
      role === "user" ? "prompt" : "answer",
      message,
    );
  }
  const parent = textIn(info.parentID);
  const { created, updated: changed } = recordIn(info.time);
  const version = textIn(info.version);
  return {
    id,
    title: textIn(info.title) ?? firstLine(promptText(messages[0])),
    cwd: textIn(info.directory),
    git_branch: null,
    started_at: timeIn(created),
    updated_at: updated > 0 ? updated : timeIn(changed),
    agent: { name: "opencode", session_id: parent === null ? id : null },
    parent: parent === null ? null : { id: parent, call: null },
    metadata: version === null ? {} : { opencode_version: version },
    branches: (stored) =>
      findBranches(chain.nodes, stored, function* (each) {
        for (const message of each) yield* itemsOf(message);
      }),
  };
}

function promptText(message: StoredMessage | undefined): string {
  return (message?.parts() ?? [])
    .flatMap(({ type, text, synthetic }) =>
      type === "text" && typeof text === "string" && synthetic !== true ? [text] : [],
    )
    .join("\n");
}

function* itemsOf(message: StoredMessage): Generator<Item> {
  const { info } = message;
  const { created, completed } = recordIn(info.time);
  const at = timeIn(created);
  if (info.role === "user") {
    yield { kind: "prompt", at, text: promptText(message) };
    for (const { type, filename } of message.parts()) {
      if (type === "file")
        yield { kind: "said", at, as: "note", text: `file: ${textIn(filename) ?? ""}` };
      if (type === "compaction") yield { kind: "said", at, as: "note", text: "compaction" };
    }
    return;
  }
  const end = timeIn(completed) ?? at;
  for (const part of message.parts()) yield* partItems(part, at);
  const { input, output, reasoning, cache } = recordIn(info.tokens);
  const usage = {
    input_tokens: countIn(input) + countIn(recordIn(cache).read) + countIn(recordIn(cache).write),
    output_tokens: countIn(output) + countIn(reasoning),
    cost_usd: countIn(info.cost),
  };
  if (usage.input_tokens + usage.output_tokens > 0) yield { kind: "used", at: end, usage };
  const error = recordIn(info.error);
  const why = textIn(recordIn(error.data).message) ?? textIn(error.name);
  if (why !== null) yield { kind: "ended", at: end, outcome: "failed", error: why };
  else if (completed !== undefined && info.finish !== "tool-calls") {
    yield { kind: "ended", at: end, outcome: "completed", error: null };
  }
}

function* partItems(part: Fields, at: number | null): Generator<Item> {
  const text = textIn(part.text);
  if (part.type === "text" && text !== null) yield { kind: "said", at, as: "message", text };
  if (part.type === "reasoning" && text !== null) yield { kind: "said", at, as: "thought", text };
  const id = textIn(part.callID);
  if (part.type !== "tool" || id === null) return;
  const state = recordIn(part.state);
  const { start, end } = recordIn(state.time);
  const name = textIn(part.tool) ?? "tool";
  yield { kind: "called", at: timeIn(start) ?? at, id, name, input: state.input };
  if (state.status !== "completed" && state.status !== "error") return;
  const failed = state.status === "error";
  const output = textIn(failed ? state.error : state.output) ?? "";
  yield { kind: "returned", at: timeIn(end) ?? at, id, failed, output };
}
