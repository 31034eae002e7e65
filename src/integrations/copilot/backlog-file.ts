import { closeSync, constants } from "node:fs";
import { join } from "node:path";
import { BelayError, refuse } from "../../contract/errors.ts";
import { isRecord, parseJson } from "../../contract/is-record.ts";
import { appendLines } from "../../files/append-lines.ts";
import { FileRefusal } from "../../files/file-refusal.ts";
import { openFile } from "../../files/open-file.ts";
import { openFolder } from "../../files/open-folder.ts";
import { readFile } from "../../files/read-file.ts";

/** One line of a workspace's backlog: a task, or a correction of one. */
export interface BacklogLine {
  readonly id: string;
  readonly title?: string;
  readonly status?: string;
  readonly priority?: string;
  readonly est_hours?: number;
  readonly added_at?: string;
}

interface BacklogPart {
  /** The merged fields of all lines of each id; later lines win. */
  readonly lines: readonly BacklogLine[];
  /** Numbers of invalid lines. */
  readonly damaged: readonly number[];
  /** The offset after the last complete line. */
  readonly offset: number;
}

const FOLDER = "doc";
const NAME = "todo-archive.ndjson";

export function backlogFile(cwd: string): string {
  return join(cwd, FOLDER, NAME);
}

/** The workspace's own backlog, without following links. Null if there is none. */
export function readOwnBacklog(cwd: string, offset: number): BacklogPart | null {
  return refuseBadFile(() => {
    const bytes = inBacklogFolder(cwd, readFile);
    return bytes ? parseBacklog(bytes, offset) : null;
  });
}

/** A backlog that the user named. Null if there is none. */
export function readNamedBacklog(path: string, offset: number): BacklogPart | null {
  return refuseBadFile(() => {
    const bytes = readFile(path, { followLinks: true });
    return bytes ? parseBacklog(bytes, offset) : null;
  });
}

/** The lines appended since `offset`. A last line without an end is still being written. */
function parseBacklog(bytes: Buffer, offset: number): BacklogPart {
  // A file that became shorter is another file.
  const from = offset <= bytes.length ? offset : 0;
  const end = bytes.lastIndexOf(0x0a) + 1;
  if (end <= from) return { lines: [], damaged: [], offset: from };
  const before = bytes.subarray(0, from).toString("utf8").split("\n").length;
  const merged = new Map<string, BacklogLine>();
  const damaged: number[] = [];
  const texts = bytes.subarray(from, end).toString("utf8").split("\n").slice(0, -1);
  texts.forEach((text, at) => {
    if (text.trim() === "") return;
    const line = parseLine(text);
    if (line) merged.set(line.id, { ...merged.get(line.id), ...line });
    else damaged.push(before + at);
  });
  return { lines: [...merged.values()], damaged, offset: end };
}

/** Adds a line to the workspace's own backlog, if there is one. */
export function appendBacklogLine(cwd: string, line: BacklogLine): void {
  refuseBadFile(() =>
    inBacklogFolder(cwd, (path) => {
      if (readFile(path) === null) return;
      const file = openFile(path, constants.O_RDWR | constants.O_APPEND);
      try {
        appendLines(file, path, [JSON.stringify(line)]);
      } finally {
        closeSync(file);
      }
    }),
  );
}

function inBacklogFolder<T>(cwd: string, work: (path: string) => T): T | null {
  const folder = openFolder({ root: cwd, names: [FOLDER] }, { create: false });
  if (!folder) return null;
  try {
    return work(folder.entry(NAME));
  } finally {
    folder.close();
  }
}

function parseLine(text: string): BacklogLine | null {
  const line = parseJson(text.replace(/^\ufeff/, ""));
  if (!isRecord(line)) return null;
  const field = (name: string): unknown => Object.getOwnPropertyDescriptor(line, name)?.value;
  const words = (name: string): string | undefined => {
    const value = field(name);
    return typeof value === "string" || typeof value === "number" ? String(value) : undefined;
  };
  const id = words("id");
  if (!id) return null;
  const [title, status, priority, added_at] = ["title", "status", "priority", "added_at"].map(
    words,
  );
  const est_hours = Number(field("est_hours") ?? Number.NaN);
  return {
    id,
    ...(title !== undefined && { title }),
    ...(status !== undefined && { status }),
    ...(priority !== undefined && { priority }),
    ...(Number.isFinite(est_hours) && { est_hours }),
    ...(added_at !== undefined && { added_at }),
  };
}

/** Works with a file that a person named or has in their workspace. A link, pipe or the like is an invalid input. */
function refuseBadFile<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof FileRefusal)) throw error;
    const message = `${error.message}. Put a regular file there, or remove it.`;
    throw new BelayError(refuse("invalid_input", message, { file: error.path }), error);
  }
}
