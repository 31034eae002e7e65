import {
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  realpathSync,
  renameSync,
  rmSync,
  writeSync,
} from "node:fs";
import { join, sep } from "node:path";
import type { SessionHead } from "../contract/head.ts";
import type { Session } from "../contract/session.ts";
import type { StoredStream, StreamStore } from "../store/stream-store.ts";
import { loadSystemHead } from "./record-system-fact.ts";
import { showWholeSession } from "./show-session.ts";

/** Keeps `.claude/session/<id>/state.json` as the database says, where the session's workspace asked for it. */
export async function mirrorSession(
  store: StreamStore,
  changed: { readonly head: SessionHead; readonly stream: StoredStream },
): Promise<void> {
  const cwd = changed.head.project?.cwd;
  if (!cwd) return;
  const workspace = await loadSystemHead(store, changed.head.owner, cwd);
  if (!workspace?.mirrors.includes("claude")) return;
  if (changed.head.deleted) {
    rmSync(folderOf(cwd, changed.head.session_id), { recursive: true, force: true });
    return;
  }
  writeMirror(cwd, await showWholeSession({ store, now: Date.now }, changed));
}

function writeMirror(cwd: string, session: Session): void {
  const folder = folderOf(cwd, session.session_id);
  mkdirSync(folder, { recursive: true });
  // A link in the workspace must not lead our writing elsewhere.
  if (!realpathSync(folder).startsWith(realpathSync(cwd) + sep)) return;
  const temporary = join(folder, `.state.json.${process.pid}`);
  const file = openSync(temporary, "w", 0o600);
  try {
    writeSync(file, `${JSON.stringify(stateOf(session), null, 2)}\n`);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  renameSync(temporary, join(folder, "state.json"));
}

/** The shape that readers of these files know. */
function stateOf(session: Session) {
  return {
    agent_id: session.session_id,
    agent_name: session.agent_name,
    purpose: session.purpose,
    created_at: toSeconds(session.created_at),
    last_updated: toSeconds(session.last_updated),
    phase: session.phase,
    metadata: session.metadata,
    resume_ready: session.resume_ready,
    history: session.history.map((change) => ({
      ...change,
      timestamp: toSeconds(change.timestamp),
    })),
    error_count: session.error_count,
    last_error: session.last_error,
  };
}

function folderOf(cwd: string, session_id: string): string {
  return join(cwd, ".claude", "session", session_id);
}

function toSeconds(iso: string): string {
  return iso.replace(/\.\d+Z$/, "Z");
}
