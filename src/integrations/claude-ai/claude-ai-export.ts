import type { Conversation, Item } from "../../import/conversation.ts";
import { createExportReader } from "../../import/create-export-reader.ts";
import { listIn, plainText, recordIn, textIn, timeIn } from "../../import/fields.ts";
import type { TreeNode } from "../../import/find-branches.ts";
import { findBranches } from "../../import/find-branches.ts";
import { firstLine } from "../../import/first-line.ts";
import type { Fields } from "../../import/record-file.ts";
import type { DocumentShape } from "../../import/salvage-document.ts";

const SHAPE: DocumentShape = {
  ...{ whole: ["uuid", "chat_messages"], part: ["uuid", "sender"], list: "chat_messages" },
  rebuild: (header, parts, name) => ({ uuid: name, ...header, chat_messages: parts }),
};

/** Reads the export of Claude.ai: a list of conversations with their messages in order. */
export const claudeAiExport = createExportReader("claude-ai", SHAPE, conversationOf);

function conversationOf(record: Fields): Conversation | null {
  const id = textIn(record.uuid);
  const messages = listIn(record.chat_messages).map(recordIn);
  if (id === null || messages.length === 0) return null;
  const ids = new Set(messages.map(({ uuid }) => uuid));
  const nodes: TreeNode<Fields>[] = [];
  for (const [nth, message] of messages.entries()) {
    const named = textIn(message.parent_message_uuid);
    const before = nodes.at(-1)?.id ?? null;
    const parent = named !== null && ids.has(named) ? named : named === null ? before : null;
    const kind = message.sender === "human" ? "prompt" : "answer";
    nodes.push({ id: textIn(message.uuid) ?? `${nth}`, parent, kind, group: null, ref: message });
  }
  const prompt = messages.find(({ sender }) => sender === "human");
  return {
    id,
    title: textIn(record.name) ?? (prompt ? firstLine(textOf(prompt)) : null),
    cwd: null,
    git_branch: null,
    started_at: timeIn(record.created_at),
    updated_at: timeIn(record.updated_at) ?? timeIn(record.created_at),
    agent: { name: "claude-ai", session_id: null },
    parent: null,
    metadata: {},
    branches: (stored) =>
      findBranches(nodes, stored, function* (each) {
        for (const message of each) yield* itemsOf(message);
      }),
  };
}

function textOf(message: Fields): string {
  const blocks = listIn(message.content).filter((block) => recordIn(block).type === "text");
  return blocks.length > 0 ? plainText(blocks) : (textIn(message.text) ?? "");
}

function* itemsOf(message: Fields): Generator<Item> {
  const at = timeIn(message.created_at);
  if (message.sender === "human") {
    yield { kind: "prompt", at, text: textOf(message) };
    for (const file of listIn(message.attachments).map(recordIn)) {
      const text = `${textIn(file.file_name) ?? "attachment"}\n${textIn(file.extracted_content) ?? ""}`;
      yield { kind: "said", at, as: "note", text };
    }
    return;
  }
  const blocks = listIn(message.content).map(recordIn);
  for (const [nth, block] of blocks.entries()) {
    const id = textIn(block.id) ?? textIn(block.tool_use_id) ?? `${textIn(message.uuid)}.${nth}`;
    const text = textIn(block.text);
    const thought = textIn(block.thinking);
    if (block.type === "text" && text !== null) yield { kind: "said", at, as: "message", text };
    if (thought !== null) yield { kind: "said", at, as: "thought", text: thought };
    if (block.type === "tool_use") {
      const name = textIn(block.name) ?? "tool";
      yield { kind: "called", at, id, name, input: block.input };
    }
    if (block.type === "tool_result") {
      const output = plainText(block.content);
      yield {
        kind: "returned",
        at,
        id: textIn(block.tool_use_id) ?? id,
        failed: block.is_error === true,
        output,
      };
    }
  }
  const text = textIn(message.text);
  if (blocks.length === 0 && text !== null) yield { kind: "said", at, as: "message", text };
  yield { kind: "ended", at, outcome: "completed", error: null };
}
