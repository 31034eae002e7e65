import { basename, dirname } from "node:path";
import { isRecord } from "../../contract/is-record.ts";
import { UNFINISHED_STATUSES } from "../../contract/vocabulary.ts";
import { deepEqual } from "../../core/deep-equal.ts";
import { isSessionHead } from "../../core/session/known-events.ts";
import { ignoreInGit } from "../../files/ignore-in-git.ts";
import { withLock } from "../../files/lock.ts";
import type { Folder } from "../../files/open-folder.ts";
import { withFolder } from "../../files/open-folder.ts";
import { readFile } from "../../files/read-file.ts";
import { replaceFile } from "../../files/replace-file.ts";
import type { FoundSession } from "../../service/read/find-session.ts";
import { systemStream } from "../../service/record-system-fact.ts";
import { loadStream, readEvents } from "../../store/read-streams.ts";
import type { StreamStore } from "../../store/stream-store.ts";
import { writeEventLines, writeSyncLine } from "./mirror-copilot-events.ts";
import { STEPS_SHOWN, viewCopilotState } from "./mirror-copilot-state.ts";
import { appendToLog, eventLogOf, lastSeqIn } from "./mirror-event-log.ts";

/**
 * Keeps `events.ndjson` and `.copilot/session_state.json` of a workspace up to date. An unwritten part is written with
 * the next change: the position is read from the files, not remembered.
 */
export async function mirrorCopilot(store: StreamStore, changed: FoundSession): Promise<void> {
  const cwd = changed.head.project?.cwd;
  if (!cwd) return;
  const { owner } = changed.head;
  await inWorkspace(cwd, async (folder) => {
    // Loaded again, now that no other process writes, because it may have changed since.
    const stream = (await loadStream(store, { id: changed.stream.id })) ?? changed.stream;
    const head = isSessionHead(stream.head) ? stream.head : changed.head;
    const { size } = await appendEvents(store, cwd, { stream, head });
    const itself = isMirrored({ stream, head }) ? { stream, head } : null;
    const shown = (await findNewest(store, owner, cwd)) ?? itself;
    if (!shown) return;
    const file = folder.entry(STATE);
    await writeState(store, file, shown, { size, most: STEPS_SHOWN, before: null });
  });
}

/** Writes one session into its workspace, whether or not that has a mirror. True if something was new. */
export async function writeCopilot(
  store: StreamStore,
  { cwd, file }: { readonly cwd: string; readonly file: string },
  found: FoundSession,
  before: Readonly<Record<string, unknown>>,
): Promise<boolean> {
  const written = await inWorkspace(cwd, async () => {
    const { size, appended } = await appendEvents(store, cwd, found);
    const options = { size, most: ALL_STEPS, before };
    const place = { root: cwd, names: [basename(dirname(file))] };
    const isWritten = await withFolder(place, (folder) =>
      writeState(store, folder.entry(basename(file)), found, options),
    );
    return isWritten || appended;
  });
  if (written === null) throw new Error(`another process keeps writing in ${cwd}`);
  return written;
}

/** Records in the event log that a backlog was imported. */
export async function mirrorSync(store: StreamStore, owner: string, cwd: string): Promise<void> {
  await inWorkspace(cwd, async () => {
    const stream = await loadStream(store, systemStream(owner, cwd));
    if (!stream) return;
    const [event] = await readEvents(store, stream.id, { before: stream.seq + 1, limit: 1 });
    if (event?.type !== "recovery.sync") return;
    const log = eventLogOf(cwd);
    if (lastSeqIn(log, stream.id, event.at - CLOCK_SLACK) >= event.seq) return;
    appendToLog(log, [writeSyncLine(stream, event)]);
  });
}

const STATE = "session_state.json";
const ALL_STEPS = 1_000_000;

/** Clocks are set back and forth; a line that is older than its session by more than this belongs to another. */
const CLOCK_SLACK = 2 * 24 * 3_600_000;

function inWorkspace<T>(cwd: string, work: (folder: Folder) => Promise<T>): Promise<T | null> {
  return withFolder({ root: cwd, names: [".copilot"] }, (folder) => {
    ignoreInGit(folder, [STATE, `${LOCK}*`, ".gitignore"]);
    return withLock(folder.entry(LOCK), () => work(folder));
  });
}

const LOCK = ".events.lock";

/**
 * The position up to which this process has checked a session's log: a shortcut past events that are in the file or do
 * not belong there.
 */
const seen = new Map<string, number>();
const MOST_SEEN = 1000;

async function appendEvents(
  store: StreamStore,
  cwd: string,
  { stream, head }: FoundSession,
): Promise<{ readonly size: number; readonly appended: boolean }> {
  const log = eventLogOf(cwd);
  const key = `${log}\n${stream.id}`;
  const known = seen.get(key) ?? 0;
  const after = Math.max(known, lastSeqIn(log, stream.id, head.created_at - CLOCK_SLACK));
  const lines = await writeEventLines(store, stream, after);
  const size = appendToLog(log, lines);
  if (seen.size >= MOST_SEEN) seen.clear();
  seen.set(key, stream.seq);
  return { size, appended: lines.length > 0 };
}

/** `before` is the previous content; only differences are written, and unknown fields stay. */
async function writeState(
  store: StreamStore,
  file: string,
  found: FoundSession,
  options: {
    readonly size: number;
    readonly most: number;
    readonly before: Readonly<Record<string, unknown>> | null;
  },
): Promise<boolean> {
  const { size: events_cursor, most, before } = options;
  const view = await viewCopilotState(store, found, most);
  const process_map = mergeDetails(view.process_map, before?.process_map);
  const state = { ...before, ...view, process_map, events_cursor };
  if (before) {
    const there = readState(file);
    if (there && deepEqual({ ...there, last_sync: null }, { ...state, last_sync: null })) {
      return false;
    }
  }
  const whole = { ...state, last_sync: new Date().toISOString() };
  replaceFile(file, `${JSON.stringify(whole, null, 2)}\n`);
  return true;
}

function mergeDetails<T extends object>(map: Readonly<Record<string, T>>, before: unknown) {
  const known = isRecord(before) ? before : {};
  return Object.fromEntries(
    Object.entries(map).map(([step, entry]) => {
      const told = Object.hasOwn(known, step) ? known[step] : null;
      return [step, { ...(isRecord(told) ? told : {}), ...entry }];
    }),
  );
}

function readState(file: string): Readonly<Record<string, unknown>> | null {
  try {
    const state: unknown = JSON.parse(readFile(file)?.toString("utf8") ?? "");
    return isRecord(state) ? state : null;
  } catch {
    return null;
  }
}

/** The unfinished session that was started last. */
async function findNewest(
  store: StreamStore,
  owner: string,
  project: string,
): Promise<FoundSession | null> {
  const { streams } = await store.list({
    kind: "session",
    owner,
    filter: { project, status: UNFINISHED_STATUSES },
    limit: LOOKED_AT,
  });
  let newest: FoundSession | null = null;
  for (const stream of streams) {
    const { head } = stream;
    if (!isSessionHead(head) || !isMirrored({ stream, head })) continue;
    if (!newest || head.created_at > newest.head.created_at) newest = { stream, head };
  }
  return newest;
}

const LOOKED_AT = 100;

/** True if it is driven, or its agent reports its work. */
function isMirrored({ stream, head }: FoundSession): boolean {
  return head.counts.actions > 0 || head.agent !== null || stream.lease?.live === true;
}
