import { createHash } from "node:crypto";
import { join } from "node:path";
import { SessionId } from "../contract/ids.ts";
import type { Caller, ServiceContext } from "../service/context.ts";
import { eventLogOf } from "../service/mirror-event-log.ts";
import { gatherActions } from "./copilot-actions.ts";
import type { LogRecord } from "./copilot-event-log.ts";
import { readEventLog } from "./copilot-event-log.ts";
import type { Place } from "./copilot-place.ts";
import { nothingToRestore } from "./copilot-place.ts";
import type { PastSession } from "./copilot-session.ts";
import { readListed } from "./copilot-session.ts";
import type { StateFile } from "./copilot-state-file.ts";
import { readStateFile } from "./copilot-state-file.ts";
import { readTime } from "./copilot-words.ts";
import type { GaiaDatabase } from "./gaia-database.ts";
import { readGaia } from "./gaia-database.ts";

/** Everything that the files of a workspace say, and what of it could not be read. */
export interface ReadWorkspace {
  readonly state: StateFile | null;
  readonly isCorrupt: boolean;
  readonly records: readonly LogRecord[];
  /** How many of them tell of another session. */
  readonly others: number;
  readonly cursor: number;
  readonly trace_id: string | null;
  readonly gaia: GaiaDatabase | null;
  readonly damaged: readonly { file: string; line: number | null; why: string }[];
}

export function readWorkspace({ cwd, file }: Place): ReadWorkspace {
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
        ? [whole(file, `its events_cursor ${cursor} lies behind the end of the log, ${size}`)]
        : []),
      ...damaged.map(({ line, why }) => ({ file: "events.ndjson", line, why })),
      ...(gaia.why === null ? [] : [whole("gaia.db", gaia.why)]),
    ],
  };
}

export interface FoundPast extends PastSession {
  /** It was never anyone's but Belay's, so that its files say nothing new. */
  readonly isOwn: boolean;
}

/** The session that the files tell of; null where they tell of none. */
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
  const stream = entity_id === null ? undefined : await store.load({ id: entity_id });
  const known = stream?.kind === "session" && stream.owner === owner ? stream : null;
  const session_id = known?.key ?? idOf(trace_id, cwd);
  const taken = known ?? (await store.load({ kind: "session", owner, key: session_id }));
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

/** The same files lead to the same session. */
function idOf(trace_id: string | null, cwd: string): string {
  const plain = `${PREFIX}${trace_id}`;
  if (trace_id !== null && SessionId.safeParse(plain).success) return plain;
  const digest = createHash("sha256")
    .update(trace_id ?? cwd)
    .digest("hex");
  return `${PREFIX}${digest.slice(0, 32)}`;
}

/**
 * All but those under a trace that another session has begun with: to leave out too little makes us ask a person, to
 * leave out too much could hide what is still open.
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

/** Where the state does not tell: whose session was begun last, or who spoke last of a session. */
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
