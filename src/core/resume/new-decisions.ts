import type { SessionHead } from "../../contract/head.ts";
import { LIMITS } from "../../contract/limits.ts";
import type { StoredRow } from "../../contract/stream.ts";

/** The newest index rows of a session, each list oldest first. */
interface WorkRows {
  readonly approvals: readonly StoredRow[];
  readonly turns: readonly StoredRow[];
  readonly actions: readonly StoredRow[];
  readonly phases: readonly StoredRow[];
}

/**
 * The approvals whose decisions the agent may not know yet, newest first: those since its last turn
 * started or, if Belay does not run it, since it last recorded work.
 */
export function newDecisions(
  { agent }: Pick<SessionHead, "agent">,
  { approvals, turns, actions, phases }: WorkRows,
): StoredRow[] {
  // A question or a decision may itself change the phase, the latter in its own commit.
  const isOwn = ({ seq, data: { to_phase, at } }: StoredRow) =>
    to_phase === "approval" ||
    approvals.some((one) => one.seq === seq - 1 && one.data.decided_at === at);
  const work = [...actions, ...phases.filter((row) => !isOwn(row))];
  // The driver of an agent records work before the agent has read the note of an answer.
  const recorded = agent === null ? work.map(({ seq }) => seq) : [];
  const since = Math.max(startOfLastTurn(turns), ...recorded);
  return approvals
    .filter((row) => row.seq > since && isTold(row))
    .toSorted((a, b) => b.seq - a.seq)
    .slice(0, LIMITS.NEW_DECISIONS.count);
}

/** A turn that did not complete may not have reached the agent. Turns follow each other. */
function startOfLastTurn(turns: readonly StoredRow[]): number {
  const last = turns.findLastIndex(({ data }) => ENDED.has(data.status));
  return Math.max(0, turns[last]?.place ?? 0, turns[last - 1]?.seq ?? 0);
}

/** A recorded turn has no status. */
const ENDED: ReadonlySet<unknown> = new Set(["completed", undefined]);

/**
 * The process that asks for a permission gets the answer itself, but not the note. A question that
 * was not answered in time counts as rejected, so its agent must know.
 */
function isTold({ data: { kind, status, note } }: StoredRow): boolean {
  if (status === "expired") return kind === "question";
  if (status !== "approved" && status !== "rejected") return false;
  return kind !== "permission" || (typeof note === "string" && note !== "");
}
