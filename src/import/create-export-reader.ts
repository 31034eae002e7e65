import { join } from "node:path";
import type { ImportTool } from "../contract/vocabulary.ts";
import type { Conversation } from "./conversation.ts";
import type { ConversationReader } from "./import-conversations.ts";
import { readWholeRecords } from "./read-whole-records.ts";
import type { Fields } from "./record-file.ts";
import type { DocumentShape } from "./salvage-document.ts";

/** Reads data exports of a chat service, which people download: a document with one object per conversation. */
export function createExportReader(
  tool: ImportTool,
  shape: DocumentShape,
  toConversation: (record: Fields) => Conversation | null,
): ConversationReader {
  return {
    tool,
    home: (_, userHome) => join(userHome, "Downloads"),
    async *read(path, report) {
      for await (const record of readWholeRecords(path, report, shape)) {
        const conversation = toConversation(record);
        if (conversation) yield conversation;
      }
    },
  };
}
