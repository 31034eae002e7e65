import type { EventMeta, SessionEvent } from "../../contract/events.ts";
import { isRecord } from "../../contract/is-record.ts";
import { iso } from "../../core/view/view-session.ts";
import { knownEvent } from "../../service/read/read-head-at.ts";
import { readEvents, readRows } from "../../store/read-streams.ts";
import type { StoredEvent, StoredStream, StreamStore } from "../../store/stream-store.ts";
import {
  nameIn,
  nextIn,
  readNewestActions,
  readTrace,
  STEPS_SHOWN,
  stepOf,
  stepsIn,
} from "./mirror-copilot-state.ts";
import type { TimelineLine } from "./write-timeline.ts";
import { writeTimeline } from "./write-timeline.ts";

/** The actor of events that were read from such files. They are already there, so they are not written again. */
export const RESTORED = "restore";

const PAGE = 1000;

/** A session's events after a place, as lines of `events.ndjson`. */
export async function writeEventLines(
  store: StreamStore,
  stream: StoredStream,
  after: number,
): Promise<string[]> {
  const lines: string[] = [];
  const meta = {
    trace_id: await readTrace(store, stream.id),
    session_id: stream.key,
    entity_id: stream.id,
  };
  const steps = await readSteps(store, stream.id);
  for (let at = after; at < stream.seq; ) {
    const events = await readEvents(store, stream.id, { after: at, limit: PAGE });
    if (events.length === 0) break;
    for (const event of events.map(knownEvent)) {
      if (event.type === "action.started") steps.set(event.data.action_id, stepOf(event.data));
      const told = event.actor === RESTORED ? null : toEventFields(event, steps);
      if (told) lines.push(lineOf(told.type, event, meta, told.data));
    }
    at += events.length;
  }
  return lines;
}

/** Writes a session's events since its last recovery into its workspace's timeline. */
export async function mirrorTimeline(store: StreamStore, id: string, cwd: string): Promise<void> {
  writeTimeline(cwd, await readTimeline(store, id));
}

async function readTimeline(store: StreamStore, id: string): Promise<TimelineLine[]> {
  const steps = await readSteps(store, id);
  const [last] = await readRows(store, id, {
    kind: "recovery",
    before: Number.MAX_SAFE_INTEGER,
    limit: 1,
  });
  const events = await readEvents(store, id, { after: last?.place ?? 0, limit: PAGE });
  return events.flatMap((stored) => {
    const event = knownEvent(stored);
    const told = toEventFields(event, steps);
    if (!told) return [];
    const { step, status } = told.data;
    return [[iso(event.at), told.type, textOrNull(step), textOrNull(status)]];
  });
}

function textOrNull(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}

/** An imported backlog as such a line. */
export function writeSyncLine(stream: StoredStream, event: StoredEvent): string {
  const { rows, source, damaged } = isRecord(event.data) ? event.data : {};
  const meta = { trace_id: event.trace_id, session_id: null, entity_id: stream.id };
  return lineOf("recovery.sync", event, meta, { rows, source, damaged });
}

function lineOf(
  type: string,
  { at, seq }: EventMeta,
  { trace_id, session_id, entity_id }: Readonly<Record<string, string | null>>,
  data: Readonly<Record<string, unknown>>,
): string {
  const timestamp = iso(at);
  return JSON.stringify({ type, timestamp, trace_id, session_id, entity_id, seq, ...data });
}

function toEventFields(
  event: SessionEvent,
  steps: ReadonlyMap<string, string>,
): { readonly type: string; readonly data: Readonly<Record<string, unknown>> } | null {
  switch (event.type) {
    case "session.created":
      return { type: "session.start", data: { agent: event.data.agent_name } };
    case "session.forked":
      return { type: "session.start", data: { parent: event.data.parent.session_id } };
    case "action.started": {
      const { action_id, effects, idempotent, idempotency_key } = event.data;
      const { detachable, orphanable, rollback, temporary } = event.data;
      const { pid, cmd, stdout_path, stderr_path } = event.data.process ?? {};
      return {
        type: event.type,
        data: {
          ...{ step: stepOf(event.data), action_id, effects, idempotent },
          ...{ detachable, orphanable, rollback },
          ...(idempotency_key !== null && { idempotency_key }),
          ...(temporary && { temporary }),
          ...(pid !== undefined && { pid, cmd, stdout_path, stderr_path }),
        },
      };
    }
    case "action.completed": {
      const { action_id, status, result } = event.data;
      const step = steps.get(action_id) ?? action_id;
      return { type: event.type, data: { step, action_id, status, result } };
    }
    case "session.recovered": {
      const { status, steps: judged } = event.data;
      const plan = judged.map((one) => ({ step: nameIn(steps, one), plan: one.step }));
      return { type: event.type, data: { status, next_step: nextIn(event, steps), plan } };
    }
    default:
      return null;
  }
}

async function readSteps(store: StreamStore, id: string): Promise<Map<string, string>> {
  return stepsIn(await readNewestActions(store, id, STEPS_SHOWN));
}
