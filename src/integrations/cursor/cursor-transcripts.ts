import { basename, dirname, join } from "node:path";
import { findBranches } from "../../import/find-branches.ts";
import { firstLine } from "../../import/first-line.ts";
import type { ConversationReader } from "../../import/import-conversations.ts";
import { markFile } from "../../import/mark-file.ts";
import { RecordChain } from "../../import/record-chain.ts";
import type { RecordPosition } from "../../import/record-file.ts";
import { RecordFile } from "../../import/record-file.ts";
import { contextOf, cursorItems, promptText } from "./cursor-items.ts";
import { MEMORY, readMemory } from "./cursor-memory.ts";
import { readChat } from "./read-chat.ts";

/**
 * Reads the stores and transcripts of Cursor's agents. Transcripts have no times, so the file's time is used for all of
 * them.
 */
export const cursorTranscripts: ConversationReader = {
  tool: "cursor",
  home: (_, userHome) => join(userHome, ".cursor"),
  observations: (path, report) => (MEMORY.test(path) ? readMemory(path, report) : null),
  folderOf: (file) => /^(.*)\/(?:chats|projects)\//.exec(file)?.[1] ?? dirname(file),
  async *read(path, report, near) {
    if (path.endsWith(".db")) {
      yield* readChat(path, markFile(path).modified_at, report);
      return;
    }
    const id = basename(path, ".jsonl");
    // The store of the same conversation contains more.
    if ((await near()).some((other) => other.endsWith(`/${id}/store.db`))) return;
    const file = new RecordFile(path);
    try {
      const chain = new RecordChain<RecordPosition>();
      let prompt: string | null = null;
      await file.scan(report, (record, place) => {
        if (record.role !== "user" && record.role !== "assistant" && record.role !== "tool") return;
        if (contextOf(record)) return;
        const isPrompt = record.role === "user";
        if (isPrompt) prompt ??= promptText(record);
        chain.add(`${place.line}.${place.nth}`, isPrompt ? "prompt" : "answer", place);
      });
      if (chain.nodes.length === 0) return;
      const time = Math.round(file.modified_at);
      yield {
        id,
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
            for (const place of places) yield* cursorItems(file.read(place));
          }),
      };
    } finally {
      file.close();
    }
  },
};
