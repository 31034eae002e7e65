import type { Decided } from "../../contract/approval/decided.ts";
import type { SessionEvent } from "../../contract/events.ts";
import type { SessionHead } from "../../contract/head.ts";
import { isRecord } from "../../contract/is-record.ts";
import { LIMITS } from "../../contract/limits.ts";
import type { Approval } from "../../contract/session.ts";
import type { StoredRow } from "../../contract/stream.ts";
import { isSessionHead } from "../../core/session/known-events.ts";
import { isAnswerable } from "../../core/session/session-activity.ts";
import { viewAction } from "../../core/view/view-action.ts";
import { iso } from "../../core/view/view-session.ts";
import { loadStream, readEvents, readParts } from "../../store/read-streams.ts";
import type { Lease, StreamStore } from "../../store/stream-store.ts";
import { digestOf } from "../access/secret-digest.ts";
import { knownEvent } from "../read/read-head-at.ts";

export interface Asking {
  /** The session's entity id. */
  readonly id: string;
  readonly head: SessionHead;
  readonly lease: Lease | null;
}

export type Question = Extract<SessionEvent, { type: "approval.requested" }>;

/**
 * The open questions of sessions, with the actions they are about. Many sessions take as many reads as one. If they do
 * not fit on a page, only those of the first sessions are returned, with their number.
 */
export async function readApprovals(
  store: StreamStore,
  sessions: readonly Asking[],
): Promise<{ approvals: Approval[]; sessions: number }> {
  const asking = sessions.filter(({ head }) => head.approvals.length > 0);
  if (asking.length === 0) return { approvals: [], sessions: sessions.length };
  const parts = await readParts(
    store,
    asking.map(({ id, head }) => ({
      ref: { id },
      events: head.approvals.map(({ seq }) => ({ after: seq - 1, limit: 1 })),
      rows: head.actions.map(({ seq }) => ({ kind: "action", after: seq - 1, limit: 1 })),
    })),
    LIMITS.PAGE_BYTES,
  );
  const asked = asking.slice(0, parts.length).flatMap((session, n) => {
    const actions = (parts[n]?.rows ?? []).flat();
    const questions = (parts[n]?.events ?? []).flat().map(knownEvent).filter(isQuestion);
    return questions.map((event) => ({ session, event, action: actionIn(actions, event.data) }));
  });
  const settled = asked.filter(({ event, action }) => event.data.action_id !== null && !action);
  const older = await readSettled(store, settled);
  const approvals = asked.map(({ session, event, action }) =>
    viewApproval(session, event, action ?? older.get(event)),
  );
  const last = asking[parts.length];
  return { approvals, sessions: last ? sessions.indexOf(last) : sessions.length };
}

export function viewApproval(
  { head, lease }: Pick<Asking, "head" | "lease">,
  { seq, at, data }: Pick<Question, "seq" | "at" | "data">,
  action: StoredRow | undefined,
  decided: Decided | null = null,
): Approval {
  const { approval_id, kind, title, body, expires_at, awaited } = data;
  const { options = [], choices = [], missing_choices = 0, rollback = [] } = data;
  return {
    approval_id,
    session_id: head.session_id,
    agent_name: head.agent_name,
    kind,
    title,
    body,
    requested_at: iso(at),
    expires_at: expires_at === null ? null : iso(expires_at),
    options,
    choices,
    missing_choices,
    digest: digestQuestion(data, action),
    action: action ? viewAction(action) : null,
    rollback,
    session_title: head.title,
    answerable: decided === null && isAnswerable({ awaited }, head, lease),
    seq,
    decided,
  };
}

/** A digest of everything that a person is asked to approve: it changes if the agent describes the action anew. */
export function digestQuestion(asked: Question["data"], action: StoredRow | undefined): string {
  const { approval_id, kind, title, body, choices = [], missing_choices = 0 } = asked;
  const details = action && isRecord(action.data.details) ? action.data.details : {};
  const { title: called = null, input = null, paths = [], diffs = [] } = details;
  const shown = { type: action?.data.type ?? null, title: called, input, paths, diffs };
  const all = { approval_id, kind, title, body, choices, missing_choices, action: shown };
  return digestOf(JSON.stringify(sortKeys(all)));
}

/** The same JSON value whatever the order of its keys. */
function sortKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortKeys);
  if (!isRecord(value)) return value;
  const sorted = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(sorted.map(([key, item]) => [key, sortKeys(item)]));
}

/** Enough, because work that was under way when a process ended is among the newest. */
const NEWEST_ACTIONS = 64;

/** A recovery may ask about an action that already has a result: a tool call gets the result "unknown". */
async function readSettled(
  store: StreamStore,
  asked: readonly { readonly session: Asking; readonly event: Question }[],
): Promise<ReadonlyMap<Question, StoredRow>> {
  if (asked.length === 0) return new Map();
  const parts = await readParts(
    store,
    asked.map(({ session, event }) => ({ ref: { id: session.id }, rows: [actionsUpTo(event)] })),
  );
  return new Map(
    asked.flatMap(({ event }, n) => {
      const action = actionIn(parts[n]?.rows[0] ?? [], event.data);
      return action ? [[event, action] as const] : [];
    }),
  );
}

/** The action that a question is about, if it is not too old. */
export async function readAction(
  store: StreamStore,
  session: Asking,
  event: Question,
): Promise<StoredRow | undefined> {
  if (event.data.action_id === null) return undefined;
  return (await readSettled(store, [{ session, event }])).get(event);
}

export function actionsUpTo({ seq }: Question) {
  return { kind: "action", before: seq, limit: NEWEST_ACTIONS };
}

export function actionIn(
  rows: readonly StoredRow[],
  { action_id }: Pick<Question["data"], "action_id">,
): StoredRow | undefined {
  return rows.find((row) => row.data.action_id === action_id);
}

/** An open question, and the query for the row of its action; null if there is no such question. */
export async function readOpenQuestion(store: StreamStore, id: string, approval_id: string) {
  const head = (await loadStream(store, { id }))?.head;
  if (!isSessionHead(head)) return null;
  const open = head.approvals.find((one) => one.id === approval_id);
  if (!open) return null;
  const [stored] = await readEvents(store, id, { after: open.seq - 1, limit: 1 });
  const question = stored && knownEvent(stored);
  if (!question || !isQuestion(question)) return null;
  const action = head.actions.find((one) => one.id === question.data.action_id);
  const query = action
    ? { kind: "action", after: action.seq - 1, limit: 1 }
    : actionsUpTo(question);
  return { question, action: query };
}

export function isQuestion(event: SessionEvent): event is Question {
  return event.type === "approval.requested";
}
