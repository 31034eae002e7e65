import type { SessionHead } from "../../contract/head.ts";
import { isRecord } from "../../contract/is-record.ts";
import type { Session } from "../../contract/session.ts";
import { ignoreInGit, isIgnoreFile } from "../../files/ignore-in-git.ts";
import type { Folder, FolderPlace } from "../../files/open-folder.ts";
import { openFolder, withFolder } from "../../files/open-folder.ts";
import { readFile } from "../../files/read-file.ts";
import { removeEmptyFolder, removeFile } from "../../files/remove-file.ts";
import { replaceFile } from "../../files/replace-file.ts";
import { showWholeSession } from "../../service/read/show-session.ts";
import { loadSystemHead } from "../../service/record-system-fact.ts";
import type { StoredStream, StreamStore } from "../../store/stream-store.ts";

/** Keeps `.claude/session/<id>/state.json` up to date, if the session's workspace has this mirror. */
export async function mirrorSession(
  store: StreamStore,
  changed: { readonly head: SessionHead; readonly stream: StoredStream },
): Promise<void> {
  const cwd = changed.head.project?.cwd;
  if (!cwd) return;
  const workspace = await loadSystemHead(store, changed.head.owner, cwd);
  if (!workspace?.mirrors.includes("claude")) return;
  if (changed.head.deleted) {
    removeMirror(cwd, changed.head.session_id);
    return;
  }
  const session = await showWholeSession({ store, now: Date.now }, changed);
  withFolder(placeOf(cwd, session.session_id), (folder) => {
    ignoreInGit(folder, EVERYTHING);
    replaceFile(folder.entry(STATE), `${JSON.stringify(stateOf(session), null, 2)}\n`);
  });
}

const STATE = "state.json";
const EVERYTHING = ["*"];

/** Removes Belay's file, and the session's folder if it is empty then. */
function removeMirror(cwd: string, session_id: string): void {
  const folder = openFolder(placeOf(cwd, session_id), { create: false });
  if (!folder) return;
  try {
    if (!isOurs(folder, session_id)) return;
    removeFile(folder.entry(STATE));
    if (isIgnoreFile(folder, EVERYTHING)) removeFile(folder.entry(".gitignore"));
  } finally {
    folder.close();
  }
  const sessions = openFolder({ root: cwd, names: SESSIONS }, { create: false });
  try {
    if (sessions) removeEmptyFolder(sessions.entry(session_id));
  } finally {
    sessions?.close();
  }
}

/** A link, or a file about another session, was not written by Belay. */
function isOurs(folder: Folder, session_id: string): boolean {
  try {
    const state: unknown = JSON.parse(readFile(folder.entry(STATE))?.toString("utf8") ?? "");
    return isRecord(state) && state.agent_id === session_id;
  } catch {
    return false;
  }
}

/** The format that readers of these files know. */
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

const SESSIONS = [".claude", "session"];

function placeOf(root: string, session_id: string): FolderPlace {
  return { root, names: [...SESSIONS, session_id] };
}

function toSeconds(iso: string): string {
  return iso.replace(/\.\d+Z$/, "Z");
}
