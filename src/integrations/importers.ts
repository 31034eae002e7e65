import type { ImportTool } from "../contract/vocabulary.ts";
import type { ConversationReader } from "../import/import-conversations.ts";
import { claudeTranscripts } from "./claude/transcripts/claude-transcripts.ts";

/** The reader of each tool whose conversations can be imported. */
export const IMPORTERS: Readonly<Record<ImportTool, ConversationReader>> = {
  "claude-code": claudeTranscripts,
};
