import { hash } from "node:crypto";
import { basename, join } from "node:path";
import { visibleLine } from "../../../contract/visible-text.ts";
import { readFile } from "../../../files/read-file.ts";
import type { Conversation, ReportDamage } from "../../../import/conversation.ts";
import { recordIn, textIn, timeIn } from "../../../import/fields.ts";
import type { TreeNode } from "../../../import/find-branches.ts";
import { findBranches } from "../../../import/find-branches.ts";
import type { ConversationReader } from "../../../import/import-conversations.ts";
import type { Fields, RecordPosition } from "../../../import/record-file.ts";
import { RecordFile } from "../../../import/record-file.ts";
import { isPrompt, kindOf, promptText, TurnItems } from "./claude-items.ts";

/** Reads the transcripts of Claude Code: one file per session, and one per sub-agent in a folder next to it. */
export const claudeTranscripts: ConversationReader = {
  tool: "claude-code",
  home: (env, userHome) => join(env.CLAUDE_CONFIG_DIR || join(userHome, ".claude"), "projects"),
  async *read(path, report) {
    const file = new RecordFile(path);
    try {
      const scanned = await scan(file, report);
      if (scanned.main.nodes.length > 0) yield conversationOf(file, scanned, scanned.main);
      for (const side of scanned.sides.values()) yield conversationOf(file, scanned, side);
    } finally {
      file.close();
    }
  },
};

type Node = TreeNode<RecordPosition>;

/** Connected records: a session, or the work of an older version's sub-agent within its file. */
interface Thread {
  /** Null for the session itself. */
  readonly root: string | null;
  readonly nodes: Node[];
  started_at: number | null;
  updated_at: number | null;
  prompt: string | null;
}

interface Scanned {
  readonly main: Thread;
  readonly sides: Map<string, Thread>;
  session_id: string | null;
  /** Set in the file of a sub-agent. */
  agent_id: string | null;
  cwd: string | null;
  git_branch: string | null;
  version: string | null;
  forked_from: string | null;
  readonly titles: { custom?: string; ai?: string; summary?: string };
}

function newThread(root: string | null): Thread {
  return { root, nodes: [], started_at: null, updated_at: null, prompt: null };
}

async function scan(file: RecordFile, report: ReportDamage): Promise<Scanned> {
  const isAgentFile = basename(file.path).startsWith("agent-");
  const seen: Scanned = {
    ...{ main: newThread(null), sides: new Map(), titles: {} },
    ...{ session_id: null, agent_id: null, cwd: null, git_branch: null },
    ...{ version: null, forked_from: null },
  };
  const threadOf = new Map<string, Thread>();
  const lines = new Map<number, string>();
  await file.scan(report, (record, place) => {
    noteTitle(seen, record);
    const named = textIn(record.uuid);
    // A record without an id follows the previous record.
    const id = named ?? (kindOf(record) === "none" ? null : nameOf(record, place));
    if (id === null || threadOf.has(id)) return;
    noteOrigin(seen, record, isAgentFile);
    const parent = named === null ? (seen.main.nodes.at(-1)?.id ?? null) : parentOf(record);
    const isSide = record.isSidechain === true && !isAgentFile;
    const thread = isSide ? sideOf(seen, threadOf, id, parent) : seen.main;
    threadOf.set(id, thread);
    const before = textIn(record.parentUuid);
    if (before !== null && !threadOf.has(before)) lines.set(place.line, before);
    addTo(thread, record, id, parent !== null && threadOf.has(parent) ? parent : null, place);
  });
  for (const [line, before] of lines) {
    if (!threadOf.has(before)) {
      report({ file: file.path, line, why: `the record before it, ${before}, is missing` });
    }
  }
  return seen;
}

/** The conversation continues after a compaction, although its record has no parent. */
function parentOf(record: Fields): string | null {
  return textIn(record.parentUuid) ?? textIn(record.logicalParentUuid);
}

function sideOf(
  { sides }: Scanned,
  threadOf: ReadonlyMap<string, Thread>,
  id: string,
  parent: string | null,
): Thread {
  const before = parent === null ? undefined : threadOf.get(parent);
  if (before && before.root !== null) return before;
  const thread = newThread(id);
  sides.set(id, thread);
  return thread;
}

function addTo(
  thread: Thread,
  record: Fields,
  id: string,
  known: string | null,
  place: RecordPosition,
): void {
  const at = timeIn(record.timestamp);
  if (at !== null) {
    thread.started_at = Math.min(thread.started_at ?? at, at);
    thread.updated_at = Math.max(thread.updated_at ?? at, at);
  }
  if (thread.prompt === null && isPrompt(record)) thread.prompt = promptText(record);
  // If its previous record is lost, it follows the remaining ones.
  const kind = kindOf(record);
  const isLost = known === null && (parentOf(record) !== null || kind !== "prompt");
  const parent = isLost ? (thread.nodes.at(-1)?.id ?? null) : known;
  const group = record.type === "assistant" ? textIn(recordIn(record.message).id) : null;
  thread.nodes.push({ id, parent, kind, group, ref: place });
}

function noteOrigin(seen: Scanned, record: Fields, isAgentFile: boolean): void {
  seen.session_id ??= textIn(record.sessionId);
  seen.cwd ??= textIn(record.cwd);
  seen.git_branch ??= textIn(record.gitBranch);
  seen.version = textIn(record.version) ?? seen.version;
  seen.forked_from ??= textIn(recordIn(record.forkedFrom).sessionId);
  if (isAgentFile) seen.agent_id ??= textIn(record.agentId);
}

function noteTitle({ titles }: Scanned, record: Fields): void {
  const custom = record.type === "custom-title" ? textIn(record.customTitle) : null;
  const ai = record.type === "ai-title" ? textIn(record.aiTitle) : null;
  const summary = record.type === "summary" ? textIn(record.summary) : null;
  if (custom !== null) titles.custom = custom;
  if (ai !== null) titles.ai = ai;
  if (summary !== null) titles.summary = summary;
}

function conversationOf(file: RecordFile, seen: Scanned, thread: Thread): Conversation {
  const name = basename(file.path, ".jsonl");
  const session_id = seen.session_id ?? name;
  const agent_id = seen.agent_id ?? (name.startsWith("agent-") ? name.slice(6) : null);
  const isMain = thread.root === null && agent_id === null;
  const meta = agent_id === null ? {} : readMeta(file.path);
  const { custom, ai, summary } = seen.titles;
  const told = isMain ? (custom ?? ai ?? summary) : undefined;
  const title = told ?? thread.prompt?.trim().split("\n", 1)[0] ?? null;
  return {
    id: isMain ? session_id : (thread.root ?? agent_id ?? session_id),
    title: title === null ? null : visibleLine(title),
    cwd: seen.cwd,
    git_branch: seen.git_branch,
    started_at: thread.started_at,
    updated_at: thread.updated_at,
    agent: isMain
      ? { name: "claude", session_id }
      : { name: meta.type ?? "claude-subagent", session_id: null },
    parent: isMain ? null : { id: session_id, call: meta.call ?? null },
    forked_from: isMain ? seen.forked_from : null,
    metadata: {
      ...(seen.version !== null && { claude_version: seen.version }),
      ...(!isMain && { claude_session_id: session_id }),
      ...(isMain && seen.forked_from !== null && { forked_from: seen.forked_from }),
    },
    branches: (stored) =>
      findBranches(thread.nodes, stored, function* (places) {
        const items = new TurnItems();
        for (const place of places) yield* items.of(file.read(place));
      }),
  };
}

/** The metadata file of a sub-agent: its type, and the call that started it. */
function readMeta(path: string): { readonly type?: string; readonly call?: string } {
  try {
    const bytes = readFile(path.replace(/\.jsonl$/, ".meta.json"), { most: 64 * 1024 });
    const meta = recordIn(bytes && JSON.parse(bytes.toString("utf8")));
    const type = textIn(meta.agentType);
    const call = textIn(meta.toolUseId) ?? textIn(meta.parentToolUseId);
    return { ...(type !== null && { type }), ...(call !== null && { call }) };
  } catch {
    // The conversation is complete without it.
    return {};
  }
}

/** Names a record that has no id. */
function nameOf(record: Fields, { line, nth }: RecordPosition): string {
  return `${line}.${nth}-${hash("sha256", JSON.stringify(record)).slice(0, 8)}`;
}
