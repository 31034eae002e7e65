import type { SessionHead } from "../../contract/head.ts";
import { isRecord } from "../../contract/is-record.ts";
import { type Folder, openFolder, withFolder } from "../../files/open-folder.ts";
import { readFile } from "../../files/read-file.ts";
import { removeFile } from "../../files/remove-file.ts";
import { replaceFile } from "../../files/replace-file.ts";
import { ownedName } from "../../service/owned-name.ts";
import { readCheckpointById } from "../../service/read/read-checkpoint.ts";
import { showSession } from "../../service/read/show-session.ts";
import type { StoredStream, StreamStore } from "../../store/stream-store.ts";

/**
 * Keeps `agent_sessions/<id>.json` and the session's newest `agent_checkpoints/<id>.json` in the data folder up to date,
 * for programs that read sessions from such files.
 */
export async function writeAgentSession(
  home: string,
  store: StreamStore,
  changed: { readonly head: SessionHead; readonly stream: StoredStream },
): Promise<void> {
  const { session_id, deleted, checkpoint_id, owner, suspend_reason } = changed.head;
  if (deleted) {
    removeAgentSession(home, owner, session_id);
    return;
  }
  const { metadata, ...session } = await showSession({ store, now: Date.now }, changed);
  const suspended = suspend_reason === null ? {} : { suspend_reason };
  write(home, SESSIONS, ownedName(owner, session_id), {
    session_id,
    task_id: session.task_id,
    agent_name: session.agent_name,
    interface: session.interface,
    state: session.state,
    created_at: session.created_at,
    updated_at: session.updated_at,
    metadata: { ...metadata, ...suspended },
    checkpoint_id,
    parent_session_id: session.parent_session_id,
  });
  if (checkpoint_id === null) return;
  const file = ownedName(owner, checkpoint_id);
  if (hasFile(home, CHECKPOINTS, file)) return;
  const { name, timestamp, state } = await readCheckpointById(store, owner, checkpoint_id);
  write(home, CHECKPOINTS, file, { checkpoint_id, session_id, name, timestamp, state });
}

export function removeAgentSession(home: string, owner: string, session_id: string): void {
  const file = fileOf(ownedName(owner, session_id));
  const prefix = ownedName(owner, "");
  inFolder(home, SESSIONS, (folder) => removeFile(folder.entry(file)));
  inFolder(home, CHECKPOINTS, (folder) => {
    for (const name of folder.names()) {
      const isOwn = name.slice(0, name.lastIndexOf("+") + 1) === prefix;
      if (isOwn && isAbout(folder, name, session_id)) removeFile(folder.entry(name));
    }
  });
}

const SESSIONS = "agent_sessions";
const CHECKPOINTS = "agent_checkpoints";

function write(home: string, name: string, id: string, content: object): void {
  withFolder({ root: home, names: [name] }, (folder) =>
    replaceFile(folder.entry(fileOf(id)), `${JSON.stringify(content, null, 2)}\n`),
  );
}

function hasFile(home: string, name: string, id: string): boolean {
  let isThere = false;
  inFolder(home, name, (folder) => {
    isThere = readFile(folder.entry(fileOf(id))) !== null;
  });
  return isThere;
}

function inFolder(home: string, name: string, work: (folder: Folder) => void): void {
  const folder = openFolder({ root: home, names: [name] }, { create: false });
  try {
    if (folder) work(folder);
  } finally {
    folder?.close();
  }
}

function isAbout(folder: Folder, name: string, session_id: string): boolean {
  try {
    const content: unknown = JSON.parse(readFile(folder.entry(name))?.toString("utf8") ?? "");
    return isRecord(content) && content.session_id === session_id;
  } catch {
    return false;
  }
}

function fileOf(id: string): string {
  return `${id}.json`;
}
