import type { Open, SessionHead } from "../../src/contract/head.ts";
import { Session } from "../../src/contract/session.ts";
import { viewSession } from "../../src/core/view/view-session.ts";

const OVER = ["completed", "failed", "cancelled", "archived"];
const FINAL_PHASES = ["completed", "failed", "abandoned"];
const PHASE_OF_END: Readonly<Record<string, string>> = {
  completed: "completed",
  failed: "failed",
  cancelled: "abandoned",
};

type Invariant = (head: SessionHead, seq: number) => boolean;

/** The invariants of every head that commands can lead to. */
const INVARIANTS: Readonly<Record<string, Invariant>> = {
  "nothing is open in a session that is over": (head) =>
    !isOver(head) || openItems(head).length === 0,
  "nothing is open in a session that has not begun": (head) =>
    head.status !== "created" || openItems(head).length === 0,
  "a run that was finalized has the phase of its end": ({ status, phase }) =>
    !(status in PHASE_OF_END) || PHASE_OF_END[status] === phase,
  "a run that goes on has no final phase": (head) =>
    isOver(head) || !FINAL_PHASES.includes(head.phase),
  "an end is known of every finalized run": (head) =>
    !(head.status in PHASE_OF_END) || head.ended !== null,
  "no end is known in the first run while it goes on": (head) =>
    isOver(head) || head.run > 1 || head.ended === null,
  "a suspended session says why": (head) =>
    head.status !== "suspended" || head.suspend_reason !== null,
  "resume_ready reads false when it is over or removed": (head, seq) =>
    !(isOver(head) || head.deleted) ||
    !viewSession(head, seq, {}, null, head.updated_at).resume_ready,
  "an open item was opened by an event of this log": (head, seq) =>
    openItems(head).every((item) => item.seq >= 1 && item.seq <= seq),
  "no two open items were opened by the same event": (head) =>
    isDistinct(openItems(head).map((item) => item.seq)),
  "open items of a kind have different ids": (head) =>
    [head.actions, head.approvals, [...head.queue, ...(head.turn ? [head.turn] : [])]].every(
      (items: readonly Open[]) => isDistinct(items.map((item) => item.id)),
    ),
  "an interrupt is asked of a running turn only": (head) =>
    !head.interrupt_requested || head.turn !== null,
  "an action that was last started is open": ({ last_action, actions }) =>
    last_action?.status !== "started" || actions.some((action) => action.id === last_action.id),
  "as many were counted as are open": (head) =>
    head.counts.actions >= head.actions.length && head.counts.approvals >= head.approvals.length,
  "counts are whole numbers": (head) =>
    [head.error_count, head.run, ...Object.values(head.counts)].every(
      (count) => Number.isSafeInteger(count) && count >= 0,
    ),
  "at most 24 actions are open": (head) => head.actions.length <= 24,
  "at most 8 approvals are open": (head) => head.approvals.length <= 8,
  "at most 10 messages wait": (head) => head.queue.length <= 10,
  "at most 5 phase changes are remembered": (head) => head.recent_phases.length <= 5,
  "texts stay within their bounds": (head) =>
    bytes(head.owner) <= 64 &&
    bytes(head.agent_name) <= 96 &&
    bytes(head.task_id) <= 96 &&
    bytes(head.title) <= 160 &&
    bytes(head.purpose) <= 160 &&
    bytes(head.last_error) <= 200 &&
    bytes(head.ended?.summary) <= 200 &&
    bytes(head.checkpoint_id) <= 40 &&
    openItems(head).every((item) => bytes(item.id) <= 40),
  "metadata stays within its bound": (head) =>
    Buffer.byteLength(JSON.stringify(head.metadata)) <= 1000,
  "the whole stays under 8 KB": (head) => headBytes(head) <= 8192,
  "time does not run backwards": (head) =>
    head.created_at <= head.run_started_at &&
    head.run_started_at <= head.updated_at &&
    isAscending(head.recent_phases.map((change) => change.at)),
  "doors can show it": (head, seq) =>
    Session.safeParse(viewSession(head, seq, {}, null, head.updated_at)).success,
};

export function brokenInvariants(head: SessionHead, seq: number): string[] {
  return Object.entries(INVARIANTS)
    .filter(([, holds]) => !holds(head, seq))
    .map(([claim]) => claim);
}

export function isOver(head: SessionHead): boolean {
  return OVER.includes(head.status);
}

export function headBytes(head: object): number {
  return Buffer.byteLength(JSON.stringify(head));
}

function openItems({ turn, queue, actions, approvals }: SessionHead): readonly Open[] {
  return [...(turn ? [turn] : []), ...queue, ...actions, ...approvals];
}

function bytes(text: string | null | undefined): number {
  return Buffer.byteLength(text ?? "");
}

function isDistinct(values: readonly unknown[]): boolean {
  return new Set(values).size === values.length;
}

function isAscending(times: readonly number[]): boolean {
  return times.every((at, nth) => nth === 0 || (times[nth - 1] ?? at) <= at);
}
