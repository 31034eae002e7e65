import type { ImportProgress, ImportReport } from "../../../src/contract/import/import-report.ts";
import { LIMITS } from "../../../src/contract/limits.ts";
import type { ImportTool } from "../../../src/contract/vocabulary.ts";
import { IMPORT_FILES } from "../../../src/contract/vocabulary.ts";
import { ApiError, Unreachable } from "../api/api-error.ts";
import { refusalIn } from "../api/ask.ts";
import { credentials } from "../api/browser-token.ts";
import { MOST_MB } from "../api/files.ts";
import { readSse } from "../live/read-sse.ts";
import { formatBytes } from "../ui/format-bytes.ts";

/** The source of an import: the tool's files on the server's machine, or files from the reader's own computer. */
export type ImportSource =
  | { readonly kind: "server" }
  | { readonly kind: "files"; readonly files: readonly File[] };

interface RunOptions {
  readonly dry_run: boolean;
  readonly signal: AbortSignal;
  onProgress(progress: ImportProgress): void;
}

/** Imports, and reports the progress. Several files are sent one after the other. */
export async function runImport(
  tool: ImportTool,
  source: ImportSource,
  { dry_run, signal, onProgress }: RunOptions,
): Promise<ImportReport> {
  if (source.kind === "server") {
    const headers = { "content-type": "application/json" };
    const body = JSON.stringify({ dry_run, stream: true });
    return follow(`/imports/${tool}`, { headers, body, signal }, onProgress);
  }
  const { files } = source;
  let sum = emptyReport(tool, dry_run);
  for (const [nth, file] of files.entries()) {
    const done = { files: nth, total: files.length, ...countsIn(sum) };
    onProgress(done);
    const reportSent = ({ sessions, turns }: ImportProgress): void =>
      onProgress({ ...done, sessions: done.sessions + sessions, turns: done.turns + turns });
    sum = addReport(sum, await sendFile(tool, file, { dry_run, signal, onProgress: reportSent }));
  }
  return sum;
}

/** In a folder, the files with the tool's conversations; of files chosen one by one, all. */
export function filesOf(tool: ImportTool, chosen: readonly File[]): readonly File[] {
  return chosen.filter(
    (file) => file.webkitRelativePath === "" || IMPORT_FILES[tool].test(file.webkitRelativePath),
  );
}

async function sendFile(tool: ImportTool, file: File, options: RunOptions): Promise<ImportReport> {
  const { dry_run, signal, onProgress } = options;
  const path = file.webkitRelativePath || file.name;
  const unread = (why: string): ImportReport => {
    const report = emptyReport(tool, dry_run);
    return { ...report, damage: [{ file: path, line: null, why }], damaged: 1 };
  };
  if (file.size > LIMITS.BLOB_BYTES) {
    return unread(`has ${formatBytes(file.size)}, and at most ${MOST_MB} MB can be sent`);
  }
  const name = path.replace(/[^\w.@ /-]/g, "_");
  const query = new URLSearchParams({ name, dry_run: String(dry_run), stream: "true" });
  const headers = { "content-type": "application/octet-stream" };
  try {
    const report = await follow(
      `/imports/${tool}/files?${query}`,
      { headers, body: file, signal },
      onProgress,
    );
    // The server only knows the file by its temporary path.
    return { ...report, damage: report.damage.map((each) => ({ ...each, file: path })) };
  } catch (error) {
    // A refused file does not stop the others.
    if (error instanceof ApiError && error.status !== 401 && error.status !== 403)
      return unread(error.message);
    throw error;
  }
}

interface Sent {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: BodyInit;
  readonly signal: AbortSignal;
}

async function follow(
  path: string,
  { headers, body, signal }: Sent,
  onProgress: (progress: ImportProgress) => void,
): Promise<ImportReport> {
  const accept = "text/event-stream";
  const response = await fetch(path, {
    ...{ method: "POST", body, signal },
    headers: { ...headers, accept, ...credentials() },
  }).catch((error: unknown) => {
    if (signal.aborted) throw error;
    throw new Unreachable(error);
  });
  if (!response.ok || !response.body) throw await refusalIn(response);
  for await (const { event, data } of readSse(response.body)) {
    if (event === "progress") onProgress(JSON.parse(data));
    if (event === "report") return JSON.parse(data);
    if (event === "failed") throw new ApiError(500, JSON.parse(data));
  }
  throw new Unreachable(null);
}

function emptyReport(tool: ImportTool, dry_run: boolean): ImportReport {
  return {
    ...{ tool, dry_run, files: 0, conversations: 0, new_sessions: 0, grown_sessions: 0 },
    ...{ known_sessions: 0, turns: 0, sessions: [], damage: [], damaged: 0 },
  };
}

function countsIn({ new_sessions, grown_sessions, known_sessions, turns }: ImportReport) {
  return { sessions: new_sessions + grown_sessions + known_sessions, turns };
}

/** Two files may contain the same session, which counts once as new and then as known. */
function addReport(sum: ImportReport, more: ImportReport): ImportReport {
  return {
    ...sum,
    files: sum.files + more.files,
    conversations: sum.conversations + more.conversations,
    new_sessions: sum.new_sessions + more.new_sessions,
    grown_sessions: sum.grown_sessions + more.grown_sessions,
    known_sessions: sum.known_sessions + more.known_sessions,
    turns: sum.turns + more.turns,
    sessions: [...sum.sessions, ...more.sessions],
    damage: [...sum.damage, ...more.damage],
    damaged: sum.damaged + more.damaged,
  };
}
