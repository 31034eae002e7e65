import { basename, join } from "node:path";
import type { Item } from "../../import/conversation.ts";
import { listIn, plainText, recordIn, textIn, timeIn } from "../../import/fields.ts";
import { findBranches } from "../../import/find-branches.ts";
import { firstLine } from "../../import/first-line.ts";
import type { ConversationReader } from "../../import/import-conversations.ts";
import { RecordChain } from "../../import/record-chain.ts";
import type { Fields, Place } from "../../import/record-file.ts";
import { RecordFile } from "../../import/record-file.ts";
import { MEMORY, readMemory } from "./cursor-memory.ts";

/** Reads the transcripts of Cursor's agents. They have no times, so that of the file stands for all of them. */
export const cursorTranscripts: ConversationReader = {
  tool: "cursor",
  home: (_, userHome) => join(userHome, ".cursor"),
  observations: (path, report) => (MEMORY.test(path) ? readMemory(path, report) : null),
  async *read(path, report) {
    const file = new RecordFile(path);
    try {
      const chain = new RecordChain<Place>();
      let prompt: string | null = null;
      await file.scan(report, (record, place) => {
        if (record.role !== "user" && record.role !== "assistant" && record.role !== "tool") return;
        const isPrompt = record.role === "user";
        if (isPrompt) prompt ??= promptText(record);
        chain.add(`${place.line}.${place.nth}`, isPrompt ? "prompt" : "answer", place);
      });
      if (chain.nodes.length === 0) return;
      const time = Math.round(file.modified_at);
      yield {
        id: basename(path, ".jsonl"),
        title: firstLine(prompt),
        cwd: null,
        git_branch: null,
        started_at: time,
        updated_at: time,
        agent: { name: "cursor", session_id: null },
        parent: null,
        metadata: {},
        branches: (stored) =>
          findBranches(chain.nodes, stored, function* (places) {
            for (const place of places) yield* itemsOf(file.read(place));
          }),
      };
    } finally {
      file.close();
    }
  },
};

function promptText(record: Fields): string {
  const text = plainText(recordIn(record.message).content ?? record.content);
  return /<user_query>\n?([\s\S]*?)\n?<\/user_query>/.exec(text)?.[1] ?? text;
}

function* itemsOf(record: Fields): Generator<Item> {
  const at = timeIn(record.timestamp);
  if (record.role === "user") {
    yield { kind: "prompt", at, text: promptText(record) };
    return;
  }
  const content = recordIn(record.message).content ?? record.content;
  const blocks = typeof content === "string" ? [{ type: "text", text: content }] : content;
  let calls = 0;
  for (const block of listIn(blocks).map(recordIn)) {
    const text = textIn(block.text);
    if (text !== null) {
      yield { kind: "said", at, as: block.type === "reasoning" ? "thought" : "message", text };
    }
    const id = textIn(block.toolCallId) ?? textIn(block.id);
    if (id === null) continue;
    if (block.type === "tool-result") {
      const output = plainText(block.result);
      yield { kind: "returned", at, id, failed: block.isError === true, output };
    } else if (block.type === "tool-call" || block.type === "tool_use") {
      calls += 1;
      const name = textIn(block.toolName) ?? textIn(block.name) ?? "tool";
      yield { kind: "called", at, id, name, input: block.args ?? block.input };
    }
  }
  if (record.role === "assistant" && calls === 0) {
    yield { kind: "ended", at, outcome: "completed", error: null };
  }
}
