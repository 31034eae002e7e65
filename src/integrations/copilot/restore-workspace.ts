import { join } from "node:path";
import type { RestoreReport } from "../../contract/recovery.ts";
import type { DriveContext } from "../../drive/recovery/drive-context.ts";
import type { FoundSession } from "../../service/read/find-session.ts";
import { findSession } from "../../service/read/find-session.ts";
import type { Caller } from "../../service/service-context.ts";
import { loadStream } from "../../store/read-streams.ts";
import type { CopilotPlace } from "./copilot-place.ts";
import { lockWorkspace, placeOf, refuseHeld, whyNotWritten } from "./copilot-place.ts";
import { importBacklog } from "./import-backlog.ts";
import { mirrorSync, writeCopilot } from "./mirror-copilot.ts";
import { textOf } from "./read-event-log.ts";
import { quarantine } from "./read-state-file.ts";
import type { ReadWorkspace } from "./read-workspace.ts";
import { findPast, readWorkspace } from "./read-workspace.ts";
import type { RecoverSession } from "./recover-restored.ts";
import { recoverRestored } from "./recover-restored.ts";
import { hasNews, restoreSession } from "./restore-session.ts";
import { syncBacklog } from "./sync-backlog.ts";
import { traceRestored } from "./trace-restored.ts";
import type { TimelineLine } from "./write-timeline.ts";
import { writeTimeline } from "./write-timeline.ts";

interface RestoreParts {
  readonly dry_run: boolean;
  readonly recoverSession: RecoverSession;
  /** A context in which everything can be tried, because nothing is stored. */
  rehearse(): DriveContext;
}

/** Restores the session of a Copilot workspace from its files, and decides the safe next step. */
export async function restoreWorkspace(
  context: DriveContext,
  caller: Caller,
  file: string,
  parts: RestoreParts,
): Promise<RestoreReport> {
  const place = placeOf(file);
  try {
    if (parts.dry_run) {
      refuseHeld(place.cwd);
      return await rehearse(context, caller, place, parts);
    }
    const lock = lockWorkspace(place.cwd);
    try {
      return await restore(context, caller, place, parts.recoverSession);
    } finally {
      lock.release();
    }
  } catch (error) {
    throw whyNotWritten(place.cwd, error);
  }
}

/** For a workspace without a readable database. */
const NOT_TRACED = { changed: false, why: null };

async function restore(
  context: DriveContext,
  caller: Caller,
  place: CopilotPlace,
  recoverSession: RecoverSession,
): Promise<RestoreReport> {
  const { cwd, file } = place;
  const read = readWorkspace(place);
  const moved = read.isCorrupt ? [quarantine(cwd, file, context.now())] : [];
  const past = await findPast(context, caller, cwd, read);
  const by = { ...caller, trace_id: past?.trace_id ?? caller.trace_id };
  const backlog = await restoreBacklog(context, by, cwd, read);
  const seen = { ...describe(cwd, read), quarantined: moved, backlog: backlog.told };
  if (!past) {
    const timeline = writeTimeline(cwd, timelineOf(read));
    return { ...seen, timeline, session_id: null, recovery: null, changed: backlog.changed };
  }
  const { session_id } = past;
  const taken = past.isOwn
    ? { changed: false, why: null }
    : await restoreSession(context, caller, past);
  const restored = { session_id, cwd, suspect: moved[0] };
  const recovery = await recoverRestored(context, by, restored, recoverSession);
  // After recovery, which reports only the session: this timeline covers every file since the cursor.
  const timeline = writeTimeline(cwd, timelineOf(read));
  const found = await findSession(context, caller.owner, session_id);
  const isWritten = await writeCopilot(context.store, { cwd, file }, found, { ...read.state });
  const traced = read.gaia ? await traceRestored(context, cwd, found) : NOT_TRACED;
  return {
    ...seen,
    timeline,
    session_id,
    damaged: [
      ...seen.damaged,
      ...(taken.why === null ? [] : [{ file: "events.ndjson", line: null, why: taken.why }]),
      ...(traced.why === null ? [] : [{ file: "gaia.db", line: null, why: traced.why }]),
    ],
    recovery,
    changed: [taken, recovery, traced, backlog].some(({ changed }) => changed) || isWritten,
  };
}

/** The same in memory: nothing is written, in the workspace or anywhere else. */
async function rehearse(
  context: DriveContext,
  caller: Caller,
  place: CopilotPlace,
  parts: RestoreParts,
): Promise<RestoreReport> {
  const read = readWorkspace(place);
  const seen = { ...describe(place.cwd, read), quarantined: [], timeline: null, backlog: null };
  const past = await findPast(context, caller, place.cwd, read);
  if (!past) return { ...seen, session_id: null, recovery: null, changed: false };
  const { session_id } = past;
  const found = await findIfThere(context, caller.owner, session_id);
  const isKnown =
    found && (past.isOwn || !(await hasNews(context, found.stream.id, found.head, past)));
  const stage = isKnown ? context : parts.rehearse();
  if (!isKnown) await restoreSession(stage, caller, past);
  const options = { dry_run: true, force: true };
  const recovery = await parts.recoverSession(stage, caller, session_id, options);
  return { ...seen, session_id, recovery, changed: false };
}

async function findIfThere(
  context: DriveContext,
  owner: string,
  key: string,
): Promise<FoundSession | null> {
  const stream = await loadStream(context.store, { kind: "session", owner, key });
  return stream ? findSession(context, owner, key) : null;
}

/** The events since the cursor. */
function timelineOf({ records, cursor }: ReadWorkspace): TimelineLine[] {
  return records
    .filter(({ end }) => end > cursor)
    .map(({ timestamp, type, step, fields }) => {
      return [timestamp, type, step, textOf(fields.status) ?? textOf(fields.result)];
    });
}

function describe(cwd: string, read: ReadWorkspace) {
  const { records, others, damaged } = read;
  return {
    workspace: cwd,
    records: { used: records.length - others, of_other_sessions: others },
    damaged,
  };
}

/** The file first, then the database, which wins. */
async function restoreBacklog(
  context: DriveContext,
  caller: Caller,
  cwd: string,
  { gaia }: ReadWorkspace,
) {
  const synced = await syncBacklog(context, caller, cwd);
  if (synced) await mirrorSync(context.store, caller.owner, cwd);
  const rows = gaia?.backlog ?? [];
  if (rows.length === 0) {
    return { told: synced && { rows: synced.rows, source: synced.source }, changed: !!synced };
  }
  const taken = await importBacklog(context, caller, rows);
  return {
    told: { rows: taken.rows, source: join(cwd, "gaia.db") },
    changed: !!synced || taken.changed,
  };
}
