import type { Intent, Process } from "../../contract/events.ts";
import type { SessionHead } from "../../contract/head.ts";
import { isRecord } from "../../core/deep-equal.ts";
import type { RecoveryCase } from "../../core/plan-recovery.ts";
import { checkProcess } from "../../process/process-identity.ts";
import type { StreamStore } from "../../store/stream-store.ts";
import { knownEvent } from "../read-head-at.ts";
import { readTail } from "./read-tail.ts";

/** Who can be asked, by an action's key, whether it has happened. */
export type AskRemote = (type: string, key: string) => Promise<"done" | "not_done" | null>;

export interface Evidence {
  readonly one: RecoveryCase;
  readonly process: Process | null;
}

/** Everything that is open in a session, with what the world shows of it now. */
export async function gatherEvidence(
  store: StreamStore,
  id: string,
  head: SessionHead,
  askRemote: AskRemote,
): Promise<Evidence[]> {
  const opened = await Promise.all(
    [...head.actions, ...head.approvals].map(({ seq }) =>
      store.readEvents(id, { after: seq - 1, limit: 1 }),
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
      const [row] = await store.readRows(id, { kind: "action", after: event.seq - 1, limit: 1 });
      return examine(event.data, titleIn(row?.data.details), awaiting, askRemote);
    }),
  );
  return [...(await readFailed(store, id, head)), ...open];
}

/** The last thing that was done, where someone declared it and it failed. What an agent's tools do is the agent's business. */
async function readFailed(store: StreamStore, id: string, head: SessionHead): Promise<Evidence[]> {
  if (head.last_action?.status !== "failed") return [];
  const rows = await store.readRows(id, {
    kind: "action",
    before: Number.MAX_SAFE_INTEGER,
    limit: ENOUGH_FAILURES,
  });
  const newest = rows.toReversed();
  const last = newest.find(({ data }) => data.action_id === head.last_action?.id);
  if (!last || last.data.turn_id !== null) return [];
  const { type, details } = last.data;
  const before = newest.findIndex(({ data }) => data.status !== "failed" || data.type !== type);
  const [stored] = await store.readEvents(id, { after: last.place - 1, limit: 1 });
  const event = stored && knownEvent(stored);
  if (event?.type !== "action.started") return [];
  const { one } = await examine(event.data, titleIn(details), new Set(), async () => null);
  const failures = before < 0 ? newest.length : before;
  return [{ one: { ...one, status: "failed", failures }, process: null }];
}

/** One more than are tried again. */
const ENOUGH_FAILURES = 4;

/** As it was described last. */
function titleIn(details: unknown): string | null {
  return isRecord(details) && typeof details.title === "string" ? details.title : null;
}

async function examine(
  data: Intent,
  title: string | null,
  awaiting: ReadonlySet<string | null>,
  askRemote: AskRemote,
): Promise<Evidence> {
  const { action_id, turn_id, type, effects, detachable, orphanable, rollback } = data;
  const key = data.idempotent ? data.idempotency_key : null;
  const one = {
    ...{ action_id, turn_id, type, effects, detachable, orphanable, rollback, key },
    title: title === null ? type : `${type}: ${title}`,
    status: "started" as const,
    failures: 0,
    process: stateOf(data.process),
    pid: data.process?.pid ?? null,
    tail: readTail(data.process?.stderr_path) ?? readTail(data.process?.stdout_path),
    awaited_leave: awaiting.has(action_id),
    remote: data.idempotency_key === null ? null : await askRemote(type, data.idempotency_key),
  };
  return { one, process: data.process };
}

/**
 * Only pid, start time and boot together prove that a process is the same one. What has no process of its own went with
 * whoever was doing it, and nobody is: otherwise there would be nothing to recover.
 */
function stateOf(process: Process | null): RecoveryCase["process"] {
  if (!process) return "gone";
  const isRunning = checkProcess(process);
  if (isRunning === null) return "unproven";
  if (!isRunning) return "gone";
  return process.start_time === null || process.boot_id === null ? "unproven" : "alive";
}
