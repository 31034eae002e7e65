import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { SessionId } from "../../contract/ids.ts";
import { findSession } from "../../service/read/find-session.ts";
import type { Caller, ServiceContext } from "../../service/service-context.ts";
import { loadStream } from "../../store/read-streams.ts";
import type { CopilotPlace } from "./copilot-place.ts";
import { nothingToRestore } from "./copilot-place.ts";
import { readTime } from "./copilot-words.ts";
import type { GaiaDatabase } from "./gaia-database.ts";
import { readGaia } from "./gaia-database.ts";
import { gatherActions } from "./gather-actions.ts";
import { eventLogOf } from "./mirror-event-log.ts";
import type { LogRecord } from "./read-event-log.ts";
import { readEventLog } from "./read-event-log.ts";
import type { StateFile } from "./read-state-file.ts";
import { readStateFile } from "./read-state-file.ts";
import type { PastSession } from "./restore-session.ts";
import { readListed } from "./restore-session.ts";

/** The content of a workspace's files, and their unreadable parts. */
export interface ReadWorkspace {
  readonly state: StateFile | null;
  readonly isCorrupt: boolean;
  readonly records: readonly LogRecord[];
  /** The number of records of another session. */
  readonly others: number;
  readonly cursor: number;
  readonly trace_id: string | null;
  readonly gaia: GaiaDatabase | null;
  readonly damaged: readonly { file: string; line: number | null; why: string }[];
}

export function readWorkspace({ cwd, file }: CopilotPlace): ReadWorkspace {
  const read = readStateFile(file);
  const log = readEventLog(eventLogOf(cwd));
  if (read.found === "missing" && !log) throw nothingToRestore(file);
  const { records, damaged, size } = log ?? { records: [], damaged: [], size: 0 };
  const state = read.found === "missing" ? null : read.state;
  const trace_id = state?.trace_id || newestTrace(records);
  const gaia = readDatabase(cwd);
  const cursor = state?.events_cursor ?? 0;
  const whole = (name: string, why: string) => ({ file: name, line: null, why });
  return {
    state,
    isCorrupt: read.found === "corrupt",
    records,
    others: records.length - ownRecords(records, trace_id).length,
    cursor,
    trace_id,
    gaia: gaia.read,
    damaged: [
      ...(read.found === "corrupt" ? read.why.map((why) => whole(file, why)) : []),
      ...(read.found === "missing" ? [whole(file, "missing")] : []),
      ...(cursor > size
        ? [whole(file, `its events_cursor ${cursor} is after the end of the log, ${size}`)]
        : []),
      ...damaged.map(({ line, why }) => ({ file: "events.ndjson", line, why })),
      ...(gaia.why === null ? [] : [whole("gaia.db", gaia.why)]),
    ],
  };
}

interface FoundPast extends PastSession {
  /** True if only Belay wrote the files, so that they contain nothing new. */
  readonly isOwn: boolean;
}

/** The session in the files; null if there is none. */
export async function findPast(
  context: ServiceContext,
  { owner }: Caller,
  cwd: string,
  { state, isCorrupt, records, trace_id }: ReadWorkspace,
): Promise<FoundPast | null> {
  if (!state && records.length === 0) return null;
  const { store } = context;
  const ours = ownRecords(records, trace_id);
  const entity_id = ours.findLast((record) => record.entity_id !== null)?.entity_id ?? null;
  const stream = entity_id === null ? undefined : await loadStream(store, { id: entity_id });
  const isOwned = stream?.kind === "session" && stream.owner === owner;
  const known = isOwned && (await isOf(context, owner, stream.key, cwd)) ? stream : null;
  const session_id = known?.key ?? (await findId(context, owner, trace_id, cwd));
  const taken = known ?? (await loadStream(store, { kind: "session", owner, key: session_id }));
  const listed = await readListed(context, taken?.id);
  const told = ours.filter((record) => known === null || record.entity_id !== known.id);
  const began = told.find((record) => record.type === "session.start") ?? told[0];
  return {
    session_id,
    cwd,
    trace_id,
    state,
    actions: gatherActions(told, state, state !== null && !isCorrupt, listed),
    began_at: readTime(began?.timestamp ?? state?.last_sync ?? null),
    isOwn: known !== null && !session_id.startsWith(PREFIX),
  };
}

const PREFIX = "copilot-";

/** The same files lead to the same session; copies in another folder to another one. */
async function findId(
  context: ServiceContext,
  owner: string,
  trace_id: string | null,
  cwd: string,
): Promise<string> {
  if (trace_id === null) return digestId(cwd);
  const plain = `${PREFIX}${trace_id}`;
  const key = SessionId.safeParse(plain).success ? plain : digestId(trace_id);
  const stream = await loadStream(context.store, { kind: "session", owner, key });
  const isFree = !stream || (await isOf(context, owner, key, cwd));
  return isFree ? key : digestId(`${trace_id} ${cwd}`);
}

function digestId(text: string): string {
  return `${PREFIX}${createHash("sha256").update(text).digest("hex").slice(0, 32)}`;
}

/**
 * True if a session belongs to this folder, or to a folder that is gone and may have been moved here. Files can name
 * any session, but must not affect another folder's.
 */
async function isOf(
  context: ServiceContext,
  owner: string,
  key: string,
  cwd: string,
): Promise<boolean> {
  const { head } = await findSession(context, owner, key);
  const folder = head.project?.cwd ?? null;
  return folder !== null && (folder === cwd || !existsSync(folder));
}

/**
 * All records except those under a trace with which another session started: keeping too many makes us ask a person,
 * omitting too many could hide open work.
 */
function ownRecords(records: readonly LogRecord[], trace_id: string | null): readonly LogRecord[] {
  const others = new Set(
    records.flatMap((record) =>
      record.type === "session.start" && record.trace_id !== null && record.trace_id !== trace_id
        ? [record.trace_id]
        : [],
    ),
  );
  return records.filter((record) => record.trace_id === null || !others.has(record.trace_id));
}

/** If the state does not say: the trace of the session that was started last, or of the last record. */
function newestTrace(records: readonly LogRecord[]): string | null {
  const begun = records.findLast(({ type, trace_id }) => type === "session.start" && trace_id);
  const spoke = records.findLast(({ type, trace_id }) => type !== "recovery.sync" && trace_id);
  return (begun ?? spoke)?.trace_id ?? null;
}

function readDatabase(cwd: string): { read: GaiaDatabase | null; why: string | null } {
  const path = join(cwd, "gaia.db");
  try {
    return { read: readGaia(path), why: null };
  } catch (error) {
    return { read: null, why: error instanceof Error ? error.message : String(error) };
  }
}
