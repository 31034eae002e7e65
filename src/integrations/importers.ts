import type { ImportTool } from "../contract/vocabulary.ts";
import type { ConversationReader } from "../import/import-conversations.ts";
import { atifTrajectories } from "./atif/atif-trajectories.ts";
import { chatgptExport } from "./chatgpt/chatgpt-export.ts";
import { claudeTranscripts } from "./claude/transcripts/claude-transcripts.ts";
import { claudeAiExport } from "./claude-ai/claude-ai-export.ts";
import { codexRollouts } from "./codex/codex-rollouts.ts";
import { copilotSessions } from "./copilot/sessions/copilot-sessions.ts";
import { cursorTranscripts } from "./cursor/cursor-transcripts.ts";
import { geminiChats } from "./gemini/gemini-chats.ts";
import { opencodeSessions } from "./opencode/opencode-sessions.ts";
import { qwenChats } from "./qwen/qwen-chats.ts";

/** The reader of each tool whose conversations can be imported. */
export const IMPORTERS: Readonly<Record<ImportTool, ConversationReader>> = {
  "claude-code": claudeTranscripts,
  codex: codexRollouts,
  gemini: geminiChats,
  qwen: qwenChats,
  opencode: opencodeSessions,
  copilot: copilotSessions,
  cursor: cursorTranscripts,
  chatgpt: chatgptExport,
  "claude-ai": claudeAiExport,
  atif: atifTrajectories,
};
