import type { Process } from "../../contract/action/intent.ts";
import type { SessionEvent } from "../../contract/events.ts";
import { isRecord } from "../../contract/is-record.ts";
import type { StoredRow } from "../../contract/stream.ts";
import { iso } from "../../core/view/view-session.ts";
import type { FoundSession } from "../../service/read/find-session.ts";
import { knownEvent } from "../../service/read/read-head-at.ts";
import { readMetadata } from "../../service/read/read-metadata.ts";
import { readEvents, readRows } from "../../store/read-streams.ts";
import type { StreamStore } from "../../store/stream-store.ts";

/** `.copilot/session_state.json`, without the time of writing and the position in the event log. */
interface CopilotState {
  readonly current_task_id: string | null;
  readonly steps_completed: readonly string[];
  readonly next_immediate_step: string | null;
  readonly trace_id: string | null;
  readonly process_map: Readonly<Record<string, CopilotProcess>>;
  readonly notes: string | null;
}
interface CopilotProcess {
  readonly pid: number;
  readonly cmd: string | null;
  readonly started_at: string;
  readonly stdout_path: string | null;
  readonly stderr_path: string | null;
  /** Set if it is not the step's own process, but that of its agent. */
  readonly agent?: true;
}

/** The number of completed steps that other readers see. */
export const STEPS_SHOWN = 200;

/** A session in the form that readers of a Copilot workspace know. */
export async function viewCopilotState(
  store: StreamStore,
  { stream, head }: FoundSession,
  most: number = STEPS_SHOWN,
): Promise<CopilotState> {
  const rows = await readNewestActions(store, stream.id, most + head.actions.length);
  const metadata = await readMetadata(store, stream.id, head);
  const recovered = await findRecovered(store, { id: stream.id, seq: stream.seq });
  const { notes, next_immediate_step: planned } = metadata;
  return {
    current_task_id: head.task_id === head.entity_id ? null : head.task_id,
    steps_completed: rows
      .filter(({ data }) => data.status === "completed")
      .map(({ data }) => stepOf(data))
      .slice(-most),
    next_immediate_step: recovered
      ? nextOf(recovered, stepsIn(rows), typeof planned === "string" ? planned : null)
      : null,
    trace_id: await readTrace(store, stream.id),
    process_map: await mapProcesses(store, { stream, head }),
    notes: typeof notes === "string" ? notes : null,
  };
}

/** The name of an action in such files. */
export function stepOf({ type, details }: Readonly<Record<string, unknown>>): string {
  const { step, title } = isRecord(details) ? details : {};
  if (typeof step === "string") return step;
  return typeof title === "string" && title !== "" ? title : String(type);
}

/** The names of actions, by id. */
export function stepsIn(rows: readonly StoredRow[]): Map<string, string> {
  return new Map(rows.map(({ data }) => [String(data.action_id), stepOf(data)]));
}

/** A step of recovery's plan under the name that it has everywhere else. */
export function nameIn(
  steps: ReadonlyMap<string, string>,
  { action_id, title }: { readonly action_id: string; readonly title: string },
): string {
  return steps.get(action_id) ?? title;
}

/** Recovery's next step, under that name. */
export function nextIn(
  { data: { next_step, steps: judged } }: Recovered,
  steps: ReadonlyMap<string, string>,
): string | null {
  const next = judged.find(({ title }) => title === next_step);
  return next ? nameIn(steps, next) : next_step;
}

export type Recovered = Extract<SessionEvent, { type: "session.recovered" }>;

/** The last result of recovery, as long as nothing has started since. */
export async function findRecovered(
  store: StreamStore,
  { id, seq }: { readonly id: string; readonly seq: number },
): Promise<Recovered | null> {
  for (let before = seq + 1; before > 1; before -= PAGE) {
    const events = await readEvents(store, id, { before, limit: PAGE });
    for (const event of events.map(knownEvent).toReversed()) {
      if (event.type === "session.recovered") return event;
      if (event.type === "action.started" || event.type === "turn.started") return null;
    }
    if (events.length < PAGE) return null;
  }
  return null;
}

const PAGE = 100;

/** If recovery has nothing to repeat, the step planned in the files comes next. */
function nextOf(
  recovered: Recovered,
  steps: ReadonlyMap<string, string>,
  planned: string | null,
): string | null {
  return nextIn(recovered, steps) ?? (recovered.data.status === "ok" ? planned : null);
}

/** The trace under which a session was started stands for all of it. */
export async function readTrace(store: StreamStore, id: string): Promise<string | null> {
  const [first] = await readEvents(store, id, { after: 0, limit: 1 });
  return first?.trace_id ?? null;
}

export async function readNewestActions(
  store: StreamStore,
  id: string,
  limit: number,
): Promise<StoredRow[]> {
  return readRows(store, id, { kind: "action", before: Number.MAX_SAFE_INTEGER, limit });
}

async function mapProcesses(
  store: StreamStore,
  { stream, head }: FoundSession,
): Promise<Record<string, CopilotProcess>> {
  const map = new Map<string, CopilotProcess>();
  const agent = await readAgent(store, stream.id, head.agent?.running ?? null);
  for (const { id, seq } of head.actions) {
    const event = await readOne(store, stream.id, seq);
    if (event?.type !== "action.started") continue;
    const { process, turn_id } = event.data;
    const entry = process ? entryOf(process, event.at) : turn_id === null ? null : agent;
    const step = stepOf(event.data);
    if (entry) map.set(map.has(step) ? `${step} (${id})` : step, entry);
  }
  return Object.fromEntries(map);
}

/** Tool calls have no visible process of their own: the agent's process runs them. */
async function readAgent(
  store: StreamStore,
  id: string,
  running: number | null,
): Promise<CopilotProcess | null> {
  const event = running === null ? null : await readOne(store, id, running);
  if (event?.type !== "agent.started") return null;
  return { ...entryOf(event.data.process, event.at), agent: true };
}

function entryOf({ pid, cmd, stdout_path, stderr_path }: Process, at: number): CopilotProcess {
  return { pid, cmd, started_at: iso(at), stdout_path, stderr_path };
}

async function readOne(store: StreamStore, id: string, seq: number): Promise<SessionEvent | null> {
  const [stored] = await readEvents(store, id, { after: seq - 1, limit: 1 });
  return stored ? knownEvent(stored) : null;
}
