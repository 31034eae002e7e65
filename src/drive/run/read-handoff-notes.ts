import type { SessionHead } from "../../contract/head.ts";
import { isRecord } from "../../contract/is-record.ts";
import type { StoredRow } from "../../contract/stream.ts";
import { EFFECTS } from "../../contract/vocabulary.ts";
import type { HandoffNotes } from "../../core/resume/describe-for-agent.ts";
import { isTaskHead } from "../../core/session/known-events.ts";
import { isUnknown } from "../../core/view/to-spans.ts";
import { knownEvent } from "../../service/read/read-head-at.ts";
import { readMetadata } from "../../service/read/read-metadata.ts";
import { loadStream, readEvents, readRows } from "../../store/read-streams.ts";
import type { StreamStore } from "../../store/stream-store.ts";

const DECISIONS = 10;
const ACTIONS = 50;
const FILES = 50;
/** How far back the last plan is searched. */
const PLAN_EVENTS = 500;

/** The notes for an agent that took over a session; null if it already has them. */
export async function readHandoffNotes(
  store: StreamStore,
  id: string,
  head: SessionHead,
): Promise<HandoffNotes | null> {
  const by = head.missed?.by;
  if (by === undefined) return null;
  const newest = { before: Number.MAX_SAFE_INTEGER };
  const task = { kind: "task", owner: head.owner, key: head.task_id } as const;
  const [approvals, actions, metadata, serves, plan] = await Promise.all([
    readRows(store, id, { kind: "approval", ...newest, limit: DECISIONS }),
    readRows(store, id, { kind: "action", ...newest, limit: ACTIONS }),
    readMetadata(store, id, head),
    loadStream(store, task),
    readPlan(store, id),
  ]);
  const latest = actions.toReversed();
  return {
    you: head.agent_name,
    by,
    task: isTaskHead(serves?.head) ? `${serves.head.title} (${serves.head.status})` : null,
    decisions: approvals.toReversed().flatMap(describeDecision),
    plan,
    files: [...new Set(latest.flatMap(pathsOf))].slice(0, FILES),
    unknown: latest.filter(isUnknownAction).map(titleOf),
    findings: textsIn(metadata.findings),
  };
}

function describeDecision({ data: { status, title, note } }: StoredRow): string[] {
  if (status !== "approved" && status !== "rejected") return [];
  return [`${status}: ${title}${typeof note === "string" && note !== "" ? ` (${note})` : ""}`];
}

function pathsOf({ data: { details, output } }: StoredRow): string[] {
  const lists = [details, output].map((one) => (isRecord(one) ? one.paths : null));
  return lists.flatMap((list) => (Array.isArray(list) ? list.filter(isText) : []));
}

function isUnknownAction({ data }: StoredRow): boolean {
  const effects = EFFECTS.find((word) => word === data.effects) ?? "unknown";
  return isUnknown(data, effects);
}

function titleOf({ data: { details, type } }: StoredRow): string {
  const title = isRecord(details) ? details.title : null;
  return isText(title) ? title : String(type);
}

async function readPlan(store: StreamStore, id: string): Promise<string | null> {
  const range = { before: Number.MAX_SAFE_INTEGER, limit: PLAN_EVENTS };
  const events = (await readEvents(store, id, range)).map(knownEvent);
  const last = events.findLast((event) => event.type === "turn.part" && event.data.kind === "plan");
  return last?.type === "turn.part" ? last.data.text : null;
}

function textsIn(value: unknown): string[] {
  if (value === undefined || value === null) return [];
  const items = Array.isArray(value) ? value.toReversed() : [value];
  return items.map((item) => (isText(item) ? item : JSON.stringify(item)));
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}
