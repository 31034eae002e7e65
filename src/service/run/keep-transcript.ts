import { join } from "node:path";
import { replaceFile } from "../agents/replace-file.ts";
import { makeFolder } from "../make-folder.ts";

/** Keeps the last frames between us and an agent whose turn failed, for whoever wants to know why. One file a session. */
export function keepTranscript(home: string, session_id: string, lines: readonly string[]): void {
  const folder = logFolder(home);
  makeFolder(folder);
  replaceFile(join(folder, `${session_id.replaceAll(":", "_")}.log`), `${lines.join("\n")}\n`);
}

export function logFolder(home: string): string {
  return join(home, "agent-logs");
}
