import { hash } from "node:crypto";
import type { Conversation, Item } from "../../import/conversation.ts";
import { createExportReader } from "../../import/create-export-reader.ts";
import { listIn, plainText, recordIn, textIn, timeIn } from "../../import/fields.ts";
import type { TreeNode } from "../../import/find-branches.ts";
import { findBranches } from "../../import/find-branches.ts";
import { firstLine } from "../../import/first-line.ts";
import type { Fields } from "../../import/record-file.ts";
import type { DocumentShape } from "../../import/salvage-document.ts";

const SHAPE: DocumentShape = {
  ...{ whole: ["mapping"], part: ["parent", "message"], list: "mapping" },
  rebuild: (header, parts, name) => ({
    id: name,
    ...header,
    mapping: Object.fromEntries(parts.map((part) => [textIn(part.id) ?? "", part])),
  }),
};

/** Reads the export of ChatGPT: a list of conversations, each a tree in which a regenerated answer is a branch. */
export const chatgptExport = createExportReader("chatgpt", SHAPE, conversationOf);

function conversationOf(record: Fields): Conversation | null {
  const mapping = Object.entries(recordIn(record.mapping));
  const [first] = mapping;
  if (!first) return null;
  const lost = `chatgpt-${hash("sha256", JSON.stringify(first)).slice(0, 24)}`;
  const id = textIn(record.conversation_id) ?? textIn(record.id) ?? lost;
  const current = textIn(record.current_node);
  const written = mapping.map(([key, value]) => ({ key, entry: recordIn(value) }));
  // Ordered by time; the current end of the conversation comes last.
  const order = written.toSorted((a, b) => rank(a, current) - rank(b, current));
  const nodes = order.map(({ key, entry }): TreeNode<Fields> => {
    const message = recordIn(entry.message);
    return {
      id: key,
      parent: textIn(entry.parent),
      kind: kindOf(message),
      group: null,
      ref: entry,
    };
  });
  const prompt = nodes.find(({ kind }) => kind === "prompt");
  return {
    id,
    title:
      textIn(record.title) ?? (prompt ? firstLine(textOf(recordIn(prompt.ref.message))) : null),
    cwd: null,
    git_branch: null,
    started_at: timeIn(record.create_time),
    updated_at: timeIn(record.update_time) ?? timeIn(record.create_time),
    agent: { name: "chatgpt", session_id: null },
    parent: null,
    metadata: {},
    branches: (stored) =>
      findBranches(nodes, stored, function* (entries) {
        for (const entry of entries) yield* itemsOf(recordIn(entry.message), textIn(entry.parent));
      }),
  };
}

function rank({ key, entry }: { key: string; entry: Fields }, current: string | null): number {
  if (key === current) return Number.MAX_SAFE_INTEGER;
  return timeIn(recordIn(entry.message).create_time) ?? 0;
}

function kindOf(message: Fields): TreeNode<unknown>["kind"] {
  const { role } = recordIn(message.author);
  if (role === "user") return textOf(message) === "" ? "none" : "prompt";
  return role === "assistant" || role === "tool" ? "answer" : "none";
}

function textOf(message: Fields): string {
  const content = recordIn(message.content);
  if (content.content_type === "user_editable_context") return "";
  return textIn(content.text) ?? plainText(listIn(content.parts).map(partText));
}

/** Pictures and files are only named. */
function partText(part: unknown): unknown {
  const { content_type, text } = recordIn(part);
  return typeof part === "string" || text !== undefined ? part : { type: content_type };
}

function* itemsOf(message: Fields, parent: string | null): Generator<Item> {
  const at = timeIn(message.create_time);
  const { role } = recordIn(message.author);
  const text = textOf(message);
  if (role === "user") {
    yield { kind: "prompt", at, text };
    return;
  }
  if (role === "tool") {
    if (parent !== null) yield { kind: "returned", at, id: parent, failed: false, output: text };
    return;
  }
  for (const thought of listIn(recordIn(message.content).thoughts).map(recordIn)) {
    const told = textIn(thought.content) ?? textIn(thought.summary);
    if (told !== null) yield { kind: "said", at, as: "thought", text: told };
  }
  const recipient = textIn(message.recipient) ?? "all";
  const id = textIn(message.id);
  if (recipient !== "all" && id !== null) {
    yield { kind: "called", at, id, name: recipient, input: { text } };
  } else if (text !== "") {
    yield { kind: "said", at, as: "message", text };
    if (message.end_turn === true) yield { kind: "ended", at, outcome: "completed", error: null };
  }
}
