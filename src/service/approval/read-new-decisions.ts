import type { Decided, NewDecision } from "../../contract/approval/decided.ts";
import type { SessionEvent } from "../../contract/events.ts";
import type { SessionHead } from "../../contract/head.ts";
import { LIMITS } from "../../contract/limits.ts";
import { shortenText } from "../../contract/visible-text.ts";
import { newDecisions } from "../../core/resume/new-decisions.ts";
import { iso } from "../../core/view/view-session.ts";
import { readParts } from "../../store/read-streams.ts";
import type { StreamStore } from "../../store/stream-store.ts";
import { knownEvent } from "../read/read-head-at.ts";

/** The newest rows of each kind that are read, however long the session is. */
const NEWEST = 2 * LIMITS.OPEN_APPROVALS;
const MOST_BYTES = 64 * 1024;

/** The decisions that the session's agent may not know yet, as of a seq. */
export async function readNewDecisions(
  store: StreamStore,
  { id, seq: at }: { readonly id: string; readonly seq: number },
  head: SessionHead,
): Promise<NewDecision[]> {
  // Most sessions have no closed approval.
  if (head.counts.approvals === head.approvals.length) return [];
  const newest = { at, before: Number.MAX_SAFE_INTEGER, limit: NEWEST, bytes: MOST_BYTES };
  const kinds = ["approval", "turn", "action", "phase"];
  const queries = kinds.map((kind) => ({ kind, ...newest }));
  const [part] = await readParts(store, [{ ref: { id }, rows: queries }]);
  const [approvals = [], turns = [], actions = [], phases = []] = part?.rows ?? [];
  const rows = newDecisions(head, { approvals, turns, actions, phases });
  if (rows.length === 0) return [];
  const events = rows.map(({ seq }) => ({ after: seq - 1, limit: 1 }));
  const [decided] = await readParts(store, [{ ref: { id }, events }]);
  return rows.flatMap(({ data: { approval_id, kind, title } }, n) => {
    const [stored] = decided?.events[n] ?? [];
    const answer = stored && viewDecided(knownEvent(stored));
    if (!answer) return [];
    const note = answer.note && shortenText(answer.note, LIMITS.NEW_DECISIONS.note);
    const asked = { approval_id: String(approval_id), kind: String(kind), title: String(title) };
    return [{ ...asked, ...answer, note }];
  });
}

/** Null for an event that closes no approval. */
export function viewDecided(event: SessionEvent): Decided | null {
  const { at, actor: by, interface: door } = event;
  const decided = { by, interface: door, decided_at: iso(at) };
  if (event.type === "approval.expired") {
    return { decision: "expired", note: event.data.reason, always: false, ...decided };
  }
  if (event.type !== "approval.decided") return null;
  const { decision, note, always = false, choice } = event.data;
  return { decision, note, always, ...(choice && { choice }), ...decided };
}
