import type { ImportTool } from "../../../src/contract/vocabulary.ts";

/** The names of the tools, and the files to choose for each. */
export const TOOL_NAMES: Readonly<
  Record<ImportTool, { readonly name: string; readonly files: string }>
> = {
  "claude-code": {
    name: "Claude Code",
    files: "~/.claude/projects, or transcripts (.jsonl) from there",
  },
  codex: { name: "Codex", files: "~/.codex/sessions, or rollouts (.jsonl) from there" },
  gemini: { name: "Gemini CLI", files: "~/.gemini/tmp, or chats (.jsonl) from there" },
  qwen: { name: "Qwen Code", files: "~/.qwen/projects, or chats (.jsonl) from there" },
  opencode: { name: "OpenCode", files: "opencode.db, or files that “opencode export” wrote" },
  copilot: {
    name: "Copilot CLI",
    files: "~/.copilot/session-state, or an events.jsonl from there",
  },
  cursor: { name: "Cursor", files: "~/.cursor, or the .cursor folder of a project" },
  chatgpt: { name: "ChatGPT", files: "conversations.json of a data export" },
  "claude-ai": { name: "Claude.ai", files: "conversations.json of a data export" },
  atif: { name: "ATIF", files: "trajectories (.json)" },
};
