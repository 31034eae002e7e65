import type { SessionEvent } from "../../contract/events.ts";
import type { SessionHead } from "../../contract/head.ts";
import { isRecord } from "../../contract/is-record.ts";
import type { Span } from "../../contract/past.ts";
import { readInstant } from "../../contract/read-instant.ts";
import type { StoredRow } from "../../contract/stream.ts";
import type { Effects, SpanKind } from "../../contract/vocabulary.ts";
import { EFFECTS, FINAL_PHASES } from "../../contract/vocabulary.ts";
import { judgeCall } from "../session/open-call.ts";
import { isUnfinished } from "../session/status-rules.ts";
import type { SpanPage } from "./page-spans.ts";
import { sessionTimes } from "./session-times.ts";
import { iso } from "./view-session.ts";

/** The data that the spans of a session are built from. */
interface SpanSources extends SpanPage {
  readonly head: SessionHead;
  /** True if a process drives the session now. */
  readonly driven: boolean;
  /**
   * The page ends before this place. The first phase change after it ends the last phase on the
   * page.
   */
  readonly before: number;
  readonly nextPhase: StoredRow | undefined;
  /** The events that opened the turns and approvals on the page, by seq. */
  readonly opened: ReadonlyMap<number, SessionEvent>;
}

/** Everything on a page that took time or happened at one moment, ordered by start. */
export function toSpans(sources: SpanSources): Span[] {
  const { rows } = sources;
  const spans = [
    ...phaseSpans(sources),
    ...rows.turn.flatMap((row) => turnSpans(row, sources)),
    ...rows.action.flatMap((row) => actionSpans(row, sources)),
    ...rows.approval.flatMap((row) => approvalSpans(row, sources)),
    ...rows.checkpoint.flatMap(checkpointSpans),
    ...rows.recovery.flatMap(recoverySpans),
  ];
  const begin = spans.reduce((first, { from }) => (from < first ? from : first), LAST);
  const lives = rows.life
    .flatMap((row) => lifeSpans(row, sources))
    // A life that started before the page is on it if it still lasted there.
    .filter(({ seq, to }) => seq >= (sources.earlier ?? 0) || to === null || to >= begin);
  return [...spans, ...lives].sort((a, b) => compare(a.from, b.from) || a.seq - b.seq);
}

const LAST = "\uffff";
const TURN_CHARS = 80;
const NAME_CHARS = 200;
const FINAL: ReadonlySet<string> = new Set(FINAL_PHASES);
interface Mark {
  readonly seq: number;
  readonly name: string;
  readonly at: number;
}

/**
 * A phase lasts until the next one. The phases of an observed session are unknown, because only the
 * time of the report is recorded.
 */
function phaseSpans({ head, rows, before, nextPhase, earlier }: SpanSources): Span[] {
  if (head.observed && head.observation) return [];
  const first = firstPhase(head);
  const known = [...rows.phase, ...(nextPhase ? [nextPhase] : [])].flatMap(markOf);
  const marks = [...known, first].sort((a, b) => a.seq - b.seq);
  const begin = marks.findLastIndex(({ seq }) => seq < (earlier ?? 0));
  return marks.slice(Math.max(0, begin)).flatMap((mark, nth, all) => {
    if (mark.seq >= before) return [];
    const next = all[nth + 1]?.at ?? (FINAL.has(mark.name) ? mark.at : null);
    const to = next === null ? overAt(head) : iso(next);
    return [span("phase", mark.seq, mark.name, iso(mark.at), to)];
  });
}

/** A session starts without a phase change, and so does a fork. */
function firstPhase({ parent, created_at }: SessionHead): Mark {
  return { seq: (parent?.seq ?? 0) + 1, name: "initializing", at: created_at };
}

function markOf({ place, data }: StoredRow): Mark[] {
  return typeof data.at === "number"
    ? [{ seq: place, name: String(data.to_phase), at: data.at }]
    : [];
}

function turnSpans({ place, data }: StoredRow, { head, opened }: SpanSources): Span[] {
  const event = opened.get(place);
  if (!event) return [];
  const { at } = event;
  const message = readMessage(event);
  const name = message === null ? "turn" : shorten(message, TURN_CHARS);
  if (event.type === "turn.recorded") {
    const recorded = span("turn", place, name, iso(at), iso(at));
    return [{ ...recorded, status: "completed", turn_id: event.data.turn_id }];
  }
  const from = iso(typeof data.started_at === "number" ? data.started_at : at);
  const told = span("turn", place, name, from, endOf(data, head));
  return [{ ...told, status: textOf(data.status), turn_id: textOf(data.turn_id) }];
}

function readMessage(event: SessionEvent): string | null {
  switch (event.type) {
    case "turn.recorded":
      return event.data.input;
    case "message.queued":
    case "turn.started":
      return event.data.content;
    default:
      return null;
  }
}

/**
 * An action of an outside agent is drawn as a moment, because it was reported when it was done.
 * Without a time it cannot be drawn.
 */
function actionSpans({ place, data }: StoredRow, { head, rows }: SpanSources): Span[] {
  const from = readTime(data.timestamp);
  if (from === null) return [];
  const { details } = data;
  const title = isRecord(details) ? textOf(details.title) : null;
  const isOurs = typeof data.action_id === "string";
  const told = span("action", place, title ?? String(data.type), from, from);
  if (!isOurs) return [{ ...told, status: textOf(data.result) }];
  const effects = EFFECTS.find((word) => word === data.effects) ?? "unknown";
  return [
    {
      ...told,
      to: endOf(data, head),
      status: textOf(data.status),
      effects,
      unknown: isUnknown(data, effects) || isAskedAbout(data, head, rows.recovery),
      turn_id: textOf(data.turn_id),
      action_id: textOf(data.action_id),
    },
  ];
}

/**
 * Uses the reported outcome of an interrupted action; without one, the rule for actions that were
 * in progress.
 */
export function isUnknown({ status, output }: StoredRow["data"], effects: Effects): boolean {
  if (status !== "interrupted") return false;
  const outcome = isRecord(output) ? textOf(output.outcome) : null;
  if (outcome !== null) return outcome === "unknown";
  const call = { action_id: "", turn_id: null, title: "", effects, awaited_leave: false };
  return judgeCall(call) === "unknown";
}

/** True if a declared action is open because a person was asked about it. */
function isAskedAbout(
  { action_id, status }: StoredRow["data"],
  { approvals }: SessionHead,
  recoveries: readonly StoredRow[],
): boolean {
  if (status !== "started" || approvals.every(({ kind }) => kind !== "recovery")) return false;
  return recoveries.some(({ data }) => Array.isArray(data.asked) && data.asked.includes(action_id));
}

function approvalSpans({ place, data }: StoredRow, { head, opened }: SpanSources): Span[] {
  if (typeof data.requested_at !== "number") return [];
  const to = typeof data.decided_at === "number" ? iso(data.decided_at) : endOf(data, head);
  const told = span("approval", place, String(data.title), iso(data.requested_at), to);
  const event = opened.get(place);
  const action_id = event?.type === "approval.requested" ? event.data.action_id : null;
  return [{ ...told, status: textOf(data.status), action_id }];
}

function checkpointSpans({ place, data }: StoredRow): Span[] {
  const at = readTime(data.timestamp);
  return at === null ? [] : [span("checkpoint", place, String(data.name), at, at)];
}

function recoverySpans({ place, data }: StoredRow): Span[] {
  if (typeof data.at !== "number") return [];
  const told = span("recovery", place, "recovery", iso(data.at), iso(data.at));
  return [{ ...told, status: textOf(data.status) }];
}

/** A process without a recorded end ended with its session, unless the session is still driven. */
function lifeSpans({ place, data }: StoredRow, { head, driven }: SpanSources): Span[] {
  if (typeof data.started_at !== "number") return [];
  const to = endOf(data, head) ?? (driven ? null : overAt(head));
  const told = span("life", place, String(data.way), iso(data.started_at), to);
  return [{ ...told, status: textOf(data.status) }];
}

function span(kind: SpanKind, seq: number, name: string, from: string, to: string | null): Span {
  const rest = { status: null, effects: null, unknown: false, turn_id: null, action_id: null };
  return { kind, name: shorten(name, NAME_CHARS), ...rest, from, to, seq };
}

/** An item that a fork dropped was under way until the fork was created. */
function endOf({ ended_at, status }: StoredRow["data"], head: SessionHead): string | null {
  if (typeof ended_at === "number") return iso(ended_at);
  if (status === "dropped") return iso(head.created_at);
  return readTime(ended_at);
}

/** The end of a session; null while it is unfinished, even if an earlier run has ended. */
export function overAt(head: SessionHead): string | null {
  return isUnfinished(head.status) ? null : iso(sessionTimes(head).ended_at ?? head.updated_at);
}

/** Converts a time from outside to the one format, so that times can be compared. */
export function readTime(value: unknown): string | null {
  const at = typeof value === "string" ? readInstant(value) : Number.NaN;
  return Number.isNaN(at) ? null : iso(at);
}

function textOf(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}

function shorten(text: string, most: number): string {
  const line = text
    .slice(0, most * 4)
    .replaceAll(/\s+/g, " ")
    .trim();
  return line.length <= most ? line : `${line.slice(0, most - 1).toWellFormed()}…`;
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
