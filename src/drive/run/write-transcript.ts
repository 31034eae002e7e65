import { join } from "node:path";
import { makeFolder } from "../../files/make-folder.ts";
import { withFolder } from "../../files/open-folder.ts";
import { replaceFile } from "../../files/replace-file.ts";

/** Stores the last protocol frames of an agent whose turn failed, for diagnosis. One file per session. */
export function writeTranscript(home: string, session_id: string, lines: readonly string[]): void {
  makeFolder(home);
  withFolder({ root: home, names: [FOLDER] }, (folder) => {
    replaceFile(folder.entry(logFileOf(session_id)), `${lines.join("\n")}\n`);
  });
}

export function logFileOf(session_id: string): string {
  return `${session_id.replaceAll(":", "_")}.log`;
}

export function logFolder(home: string): string {
  return join(home, FOLDER);
}

const FOLDER = "agent-logs";
