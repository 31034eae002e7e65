import type { SessionInfo } from "@agentclientprotocol/sdk/unstable";
import { titleOf } from "./demo-session.ts";
import type { Memory } from "./memory.ts";

/** The sessions that were made in a folder, or all of them; the last used first. */
export function listSessions(memory: Memory, folder: string | null): SessionInfo[] {
  const infos = memory.list().flatMap(({ id, changed_at }): SessionInfo[] => {
    const history = memory.read(id) ?? [];
    const cwd = history.find((line) => line.kind === "session")?.cwd;
    if (cwd === undefined || (folder !== null && folder !== cwd)) return [];
    return [{ sessionId: id, cwd, title: titleOf(history), updatedAt: changed_at.toISOString() }];
  });
  return infos.sort((a, b) => (b.updatedAt ?? "").localeCompare(a.updatedAt ?? ""));
}
