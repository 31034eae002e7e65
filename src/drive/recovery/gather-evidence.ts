import type { Process } from "../../contract/action/intent.ts";
import type { SessionEvent } from "../../contract/events.ts";
import type { SessionHead } from "../../contract/head.ts";
import { isRecord } from "../../contract/is-record.ts";
import { isVouched } from "../../core/recovery/is-vouched.ts";
import type { RecoveryCase } from "../../core/recovery/plan-recovery.ts";
import { checkProcess, isOwn } from "../../process/process-identity.ts";
import { readBootId } from "../../process/read-proc.ts";
import { foldersOf } from "../../service/declared-work.ts";
import { knownEvent } from "../../service/read/read-head-at.ts";
import { readEvents, readRows } from "../../store/read-streams.ts";
import type { StreamStore } from "../../store/stream-store.ts";
import type { DriveContext, RecoverySurroundings } from "./drive-context.ts";
import { PLAIN_RECOVERY } from "./drive-context.ts";
import { readTail } from "./read-tail.ts";

/** Answers for an action's key if the action has happened. */
export type AskRemote = (type: string, key: string) => Promise<"done" | "not_done" | null>;

export interface Evidence {
  readonly one: RecoveryCase;
  readonly process: Process | null;
}

/** Everything that is open in a session, with the current evidence about it. */
export async function gatherEvidence(
  context: DriveContext,
  id: string,
  head: SessionHead,
): Promise<Evidence[]> {
  const { store } = context;
  const surroundings = context.recovery ?? PLAIN_RECOVERY;
  const folders = await readableFolders(context, head);
  const opened = await Promise.all(
    [...head.actions, ...head.approvals].map(({ seq }) =>
      readEvents(store, id, { after: seq - 1, limit: 1 }),
    ),
  );
  const events = opened.flat().map(knownEvent);
  const awaiting = new Set(
    events.flatMap((event) =>
      event.type === "approval.requested" && event.data.awaited ? [event.data.action_id] : [],
    ),
  );
  const intents = events.filter((event) => event.type === "action.started");
  const open = await Promise.all(
    intents.map(async (event) => {
      const [row] = await readRows(store, id, { kind: "action", after: event.seq - 1, limit: 1 });
      return examine(event, folders, titleIn(row?.data.details), awaiting, surroundings);
    }),
  );
  return [...(await readFailed(store, id, head, folders)), ...open];
}

/** The folders in which the ends of output files are read. */
async function readableFolders(context: DriveContext, head: SessionHead): Promise<string[]> {
  const { isOfMember } = context.recovery ?? PLAIN_RECOVERY;
  const folders = foldersOf(context, head);
  const ofMembers = await Promise.all(folders.map(isOfMember));
  return folders.filter((_, n) => !ofMembers[n]);
}

/** The last declared action, if it failed. Failures of an agent's tools are left to the agent. */
async function readFailed(
  store: StreamStore,
  id: string,
  head: SessionHead,
  folders: readonly string[],
): Promise<Evidence[]> {
  if (head.last_action?.status !== "failed") return [];
  const rows = await readRows(store, id, {
    kind: "action",
    before: Number.MAX_SAFE_INTEGER,
    limit: ENOUGH_FAILURES,
  });
  const newest = rows.toReversed();
  const last = newest.find(({ data }) => data.action_id === head.last_action?.id);
  if (!last || last.data.turn_id !== null) return [];
  const { type, details } = last.data;
  const before = newest.findIndex(({ data }) => data.status !== "failed" || data.type !== type);
  const [stored] = await readEvents(store, id, { after: last.place - 1, limit: 1 });
  const event = stored && knownEvent(stored);
  if (event?.type !== "action.started") return [];
  const { one } = await examine(event, folders, titleIn(details), new Set(), PLAIN_RECOVERY);
  const failures = before < 0 ? newest.length : before;
  return [{ one: { ...one, status: "failed", failures }, process: null }];
}

/** One more than the number of retries. */
const ENOUGH_FAILURES = 4;

/** The title of the last description. */
function titleIn(details: unknown): string | null {
  return isRecord(details) && typeof details.title === "string" ? details.title : null;
}

type DeclaredAction = Extract<SessionEvent, { readonly type: "action.started" }>;

async function examine(
  event: DeclaredAction,
  folders: readonly string[],
  title: string | null,
  awaiting: ReadonlySet<string | null>,
  { askRemote, shared }: Pick<RecoverySurroundings, "askRemote" | "shared">,
): Promise<Evidence> {
  const { data } = event;
  const { action_id, turn_id, type, effects, detachable, orphanable } = data;
  const vouched = isVouched(event);
  const key = data.idempotent ? data.idempotency_key : null;
  const one = {
    ...{ action_id, turn_id, type, effects, detachable, orphanable, key },
    rollback: vouched ? data.rollback : [],
    temporary: vouched ? (data.temporary ?? []) : [],
    title: title === null ? type : `${type}: ${title}`,
    status: "started" as const,
    failures: 0,
    process: stateOf(data.process, vouched, shared),
    pid: data.process?.pid ?? null,
    tail: vouched ? tailOf(data.process, folders) : null,
    awaited_leave: awaiting.has(action_id),
    remote: data.idempotency_key === null ? null : await askRemote(type, data.idempotency_key),
  };
  return { one, process: data.process };
}

/**
 * Only pid, start time and boot together prove that a process is the same one. An action without a process of its own
 * ended with its session's process, which is gone, or there would be nothing to recover.
 */
function stateOf(
  process: Process | null,
  vouched: boolean,
  shared: boolean,
): RecoveryCase["process"] {
  if (!process) return "gone";
  // A process of another machine may still run there.
  const isElsewhere = shared && (process.boot_id === null || process.boot_id !== readBootId());
  if (!vouched || isElsewhere) return "unproven";
  const isRunning = checkProcess(process);
  if (isRunning === false) return "gone";
  const isKnown = process.start_time !== null && process.boot_id !== null;
  return isRunning && isKnown && isOwn(process.pid) ? "alive" : "unproven";
}

function tailOf(process: Process | null, folders: readonly string[]): string | null {
  return readTail(process?.stderr_path, folders) ?? readTail(process?.stdout_path, folders);
}
