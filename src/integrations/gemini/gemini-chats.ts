import { basename, join } from "node:path";
import { isRecord } from "../../contract/is-record.ts";
import { readFile } from "../../files/read-file.ts";
import type { Conversation, Item } from "../../import/conversation.ts";
import { countIn, listIn, plainText, recordIn, textIn, timeIn } from "../../import/fields.ts";
import { findBranches } from "../../import/find-branches.ts";
import { firstLine } from "../../import/first-line.ts";
import type { ConversationReader } from "../../import/import-conversations.ts";
import { readWholeRecords } from "../../import/read-whole-records.ts";
import { RecordChain } from "../../import/record-chain.ts";
import type { Fields, RecordPosition } from "../../import/record-file.ts";
import { RecordFile } from "../../import/record-file.ts";
import type { DocumentShape } from "../../import/salvage-document.ts";

/** Reads the chats of Gemini CLI: lines since 2026, one JSON document before. */
export const geminiChats: ConversationReader = {
  tool: "gemini",
  home: (env, userHome) => join(env.GEMINI_CLI_HOME || userHome, ".gemini", "tmp"),
  async *read(path, report) {
    if (path.endsWith(".json")) {
      for await (const document of readWholeRecords(path, report, SHAPE)) {
        yield new Chat(path, (_, message) => message ?? {}).take(document, null).conversation();
      }
      return;
    }
    const file = new RecordFile(path);
    try {
      const chat = new Chat(path, (ref) => {
        const record = ref.place ? file.read(ref.place) : {};
        return ref.nth === null ? record : recordIn(messagesIn(record)[ref.nth]);
      });
      await file.scan(report, (record, place) => chat.take(record, place));
      if (!chat.isEmpty) yield chat.conversation();
    } finally {
      file.close();
    }
  },
};

const SHAPE: DocumentShape = {
  ...{ whole: ["sessionId", "messages"], part: ["id", "type", "content"], list: "messages" },
  rebuild: (header, parts, name) => ({ sessionId: name, ...header, messages: parts }),
};

/** The position of a message: a record of its own, or one of the messages in a record. */
interface Ref {
  readonly place: RecordPosition | null;
  readonly nth: number | null;
  /** Set for a document that is in memory anyway. */
  readonly message: Fields | null;
}

function messagesIn(record: Fields): readonly unknown[] {
  return listIn(recordIn(record.$set).messages ?? record.messages);
}

class Chat {
  readonly #path: string;
  readonly #read: (ref: Ref, message: Fields | null) => Fields;
  readonly #chain = new RecordChain<Ref>();
  #head: Fields = {};
  #prompt: string | null = null;
  #first: number | null = null;
  #last: number | null = null;

  constructor(path: string, read: (ref: Ref, message: Fields | null) => Fields) {
    this.#path = path;
    this.#read = read;
  }

  get isEmpty(): boolean {
    return this.#chain.nodes.length === 0;
  }

  take(record: Fields, place: RecordPosition | null): this {
    const back = textIn(record.$rewindTo);
    if (back !== null) this.#chain.goBackBefore(back);
    if (isRecord(record.$set)) this.#head = { ...this.#head, ...record.$set };
    if (textIn(record.sessionId) !== null) this.#head = { ...record, ...this.#head };
    const messages = messagesIn(record).map(recordIn);
    const told = messages.flatMap((message, nth) => {
      const id = textIn(message.id);
      if (id === null) return [];
      return { id, kind: this.#see(message), ref: { place, nth, message: place ? null : message } };
    });
    if (told.length > 0) this.#chain.restate(told);
    const id = textIn(record.id);
    if (id !== null && textIn(record.type) !== null) {
      this.#chain.add(id, this.#see(record), { place, nth: null, message: null });
    }
    return this;
  }

  #see(message: Fields): "prompt" | "answer" {
    const at = timeIn(message.timestamp);
    if (at !== null) {
      this.#first ??= at;
      this.#last = Math.max(this.#last ?? at, at);
    }
    const isPrompt = message.type === "user";
    if (isPrompt) this.#prompt ??= partsText(message.content);
    return isPrompt ? "prompt" : "answer";
  }

  conversation(): Conversation {
    const id = textIn(this.#head.sessionId) ?? basename(this.#path).replace(/\.jsonl?$/, "");
    const isSub = this.#head.kind === "subagent";
    const [cwd] = listIn(this.#head.directories);
    const parent = basename(join(this.#path, ".."));
    return {
      id,
      title: textIn(this.#head.summary) ?? firstLine(this.#prompt),
      cwd: textIn(cwd) ?? projectOf(this.#path),
      git_branch: null,
      started_at: timeIn(this.#head.startTime) ?? this.#first,
      updated_at: this.#last ?? timeIn(this.#head.lastUpdated),
      agent: { name: "gemini", session_id: isSub ? null : id },
      parent: isSub && parent !== "chats" ? { id: parent, call: null } : null,
      metadata: {},
      branches: (stored) => {
        const read = this.#read;
        const { nodes, last } = this.#chain;
        const items = function* (refs: readonly Ref[]) {
          for (const ref of refs) yield* itemsOf(read(ref, ref.message));
        };
        return findBranches(nodes, stored, items, last);
      },
    };
  }
}

/** Newer versions store the folder of a project next to its chats. */
function projectOf(path: string): string | null {
  const at = path.lastIndexOf("/chats/");
  if (at < 0) return null;
  try {
    const bytes = readFile(join(path.slice(0, at), ".project_root"), { most: 64 * 1024 });
    return textIn(bytes?.toString("utf8").trim());
  } catch {
    // The conversation is complete without it.
    return null;
  }
}

function partsText(content: unknown): string {
  return plainText(isRecord(content) ? [content] : content);
}

function* itemsOf(message: Fields): Generator<Item> {
  const at = timeIn(message.timestamp);
  const text = textIn(message.displayContent) ?? partsText(message.content);
  if (message.type === "user") {
    yield { kind: "prompt", at, text };
    return;
  }
  for (const thought of listIn(message.thoughts).map(recordIn)) {
    const told = [textIn(thought.subject), textIn(thought.description)].filter(
      (each) => each !== null,
    );
    if (told.length > 0) yield { kind: "said", at, as: "thought", text: told.join(": ") };
  }
  const isAnswer = message.type === "gemini";
  if (text !== "") yield { kind: "said", at, as: isAnswer ? "message" : "note", text };
  for (const call of listIn(message.toolCalls).map(recordIn)) yield* callItems(call, at);
  const { input, output, thoughts } = recordIn(message.tokens);
  const usage = {
    input_tokens: countIn(input),
    output_tokens: countIn(output) + countIn(thoughts),
    cost_usd: 0,
  };
  if (usage.input_tokens + usage.output_tokens > 0) yield { kind: "used", at, usage };
  if (isAnswer && text !== "" && listIn(message.toolCalls).length === 0) {
    yield { kind: "ended", at, outcome: "completed", error: null };
  }
}

const OVER = new Set(["success", "error", "cancelled"]);

function* callItems(call: Fields, at: number | null): Generator<Item> {
  const id = textIn(call.id);
  if (id === null) return;
  const time = timeIn(call.timestamp) ?? at;
  yield { kind: "called", at, id, name: textIn(call.name) ?? "tool", input: call.args };
  const status = textIn(call.status) ?? "";
  if (!OVER.has(status)) return;
  const output = textIn(call.resultDisplay) ?? resultText(call.result);
  yield { kind: "returned", at: time, id, failed: status !== "success", output };
}

function resultText(result: unknown): string {
  const parts = listIn(result).map((part) => {
    const { response } = recordIn(recordIn(part).functionResponse);
    return textIn(recordIn(response).output) ?? textIn(recordIn(part).text) ?? JSON.stringify(part);
  });
  return parts.length > 0 ? parts.join("\n") : (textIn(result) ?? "");
}
