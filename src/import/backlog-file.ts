import {
  closeSync,
  constants,
  fstatSync,
  openSync,
  readFileSync,
  readSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";

/** One line of a workspace's backlog: a task, or a correction of one. */
export interface BacklogLine {
  readonly id: string;
  readonly title?: string;
  readonly status?: string;
  readonly priority?: string;
  readonly est_hours?: number;
  readonly added_at?: string;
}

export interface BacklogPart {
  /** The fields of the last line of each id, as far as later lines do not leave them out. */
  readonly lines: readonly BacklogLine[];
  /** Numbers of lines that are no backlog lines. */
  readonly damaged: readonly number[];
  /** Behind the last whole line. */
  readonly offset: number;
}

export function backlogFile(cwd: string): string {
  return join(cwd, "doc", "todo-archive.ndjson");
}

/** What was appended since `offset`. A last line without an end is still being written. Null: no such file. */
export function readBacklog(path: string, offset: number): BacklogPart | null {
  const bytes = readIfThere(path);
  if (!bytes) return null;
  // A file that has become shorter is another file.
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

/** One write at the end of the file, so that lines of several processes never mix. */
export function appendBacklogLine(path: string, line: BacklogLine): void {
  const file = openSync(path, constants.O_RDWR | constants.O_APPEND);
  try {
    const { size } = fstatSync(file);
    const last = Buffer.alloc(1);
    const torn = size > 0 && readSync(file, last, 0, 1, size - 1) === 1 && last[0] !== 0x0a;
    writeSync(file, `${torn ? "\n" : ""}${JSON.stringify(line)}\n`);
  } finally {
    closeSync(file);
  }
}

function parseLine(text: string): BacklogLine | null {
  const line = parseJson(text.replace(/^\ufeff/, ""));
  if (typeof line !== "object" || line === null || Array.isArray(line)) return null;
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

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function readIfThere(path: string): Buffer | null {
  try {
    return readFileSync(path);
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return null;
    throw error;
  }
}
