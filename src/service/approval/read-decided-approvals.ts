import type { Decided } from "../../contract/approval/decided.ts";
import { BelayError, refuse } from "../../contract/errors.ts";
import { LIMITS } from "../../contract/limits.ts";
import type { Approval } from "../../contract/session.ts";
import type { StoredRow } from "../../contract/stream.ts";
import { readParts, readRows } from "../../store/read-streams.ts";
import type { StreamPart, StreamStore } from "../../store/stream-store.ts";
import { knownEvent } from "../read/read-head-at.ts";
import {
  type Asking,
  isQuestion,
  type Question,
  readAction,
  viewApproval,
} from "./read-approvals.ts";
import { viewDecided } from "./read-new-decisions.ts";

/** The newest approvals of one session that a list shows. */
const NEWEST = 20;

/**
 * The newest decided approvals of each session, newest first, without their actions. If they do not fit on a page, only
 * those of the first sessions are returned, with their number.
 */
export async function readDecidedApprovals(
  store: StreamStore,
  sessions: readonly Asking[],
): Promise<{ readonly approvals: Approval[]; readonly sessions: number }> {
  if (sessions.length === 0) return { approvals: [], sessions: 0 };
  const query = { kind: "approval", before: Number.MAX_SAFE_INTEGER, limit: NEWEST };
  const indexes = await readParts(
    store,
    sessions.map(({ id }) => ({ ref: { id }, rows: [query] })),
  );
  const closed = indexes.map((part) => (part?.rows[0] ?? []).filter(isDecided));
  const parts = await readParts(
    store,
    sessions.map(({ id }, n) => ({ ref: { id }, events: (closed[n] ?? []).flatMap(eventsOf) })),
    LIMITS.PAGE_BYTES,
  );
  const approvals = parts.flatMap((part, n) => {
    const session = sessions[n];
    return session ? viewAll(session, part?.events ?? []) : [];
  });
  return { approvals, sessions: parts.length };
}

/** One approval of a session, open or decided, with its action. It was requested in the commit that ended with `seq`. */
export async function readApproval(
  store: StreamStore,
  session: Asking,
  approval_id: string,
  seq: number,
): Promise<Approval> {
  const { id } = session;
  const rows = await readRows(store, id, { kind: "approval", before: seq + 1, limit: NEWEST });
  const row = rows.find(({ data }) => data.approval_id === approval_id);
  const [part] = await readParts(store, [{ ref: { id }, events: row ? eventsOf(row) : [] }]);
  const [asked, decided] = questionOf(part?.events ?? [], 0);
  if (!asked) throw new BelayError(approvalNotFound(approval_id));
  return viewApproval(session, asked, await readAction(store, session, asked), decided);
}

export function approvalNotFound(approval_id: string) {
  return refuse("approval_not_found", `Approval ${approval_id} not found.`, { approval_id });
}

function isDecided({ data: { status } }: StoredRow): boolean {
  return status === "approved" || status === "rejected" || status === "expired";
}

/** The event that requested an approval, and the one that changed it last. */
function eventsOf({ place, seq }: StoredRow) {
  return [place, seq].map((at) => ({ after: at - 1, limit: 1 }));
}

function viewAll(session: Asking, events: StreamPart["events"]): Approval[] {
  const found: Approval[] = [];
  for (let n = 0; n < events.length; n += 2) {
    const [asked, decided] = questionOf(events, n);
    if (asked && decided) found.push(viewApproval(session, asked, undefined, decided));
  }
  return found.reverse();
}

function questionOf(
  events: StreamPart["events"],
  n: number,
): readonly [Question | null, Decided | null] {
  const [asked, last] = [events[n]?.[0], events[n + 1]?.[0]].map((one) => one && knownEvent(one));
  return [asked && isQuestion(asked) ? asked : null, last ? viewDecided(last) : null];
}
