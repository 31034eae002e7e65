import type { State, Status } from "../../contract/vocabulary.ts";
import { STATUSES, UNFINISHED_STATUSES } from "../../contract/vocabulary.ts";
import { DISPLAY_STATUS, STATE } from "./status-rules.ts";

/** Lists show a failed session by default for this long. */
const FAILED_SHOWN_MS = 24 * 3_600_000;

/** The caller's choice of sessions to list. */
interface ListChoice {
  readonly deleted?: boolean;
  readonly status?: readonly Status[] | undefined;
  readonly state?: State | undefined;
  readonly active_only?: boolean;
  /** Includes archived and cancelled sessions. */
  readonly archived?: boolean;
  /** Includes failed sessions of any age. */
  readonly failed?: boolean;
}

interface ListedStatuses {
  readonly statuses: readonly string[];
  /**
   * Failed sessions are listed only if they failed at or after this time; null lists all of them.
   */
  readonly failed_since: number | null;
}

/** The one rule for the sessions that a list shows, for all interfaces. */
export function listedStatuses(choice: ListChoice, now: number): ListedStatuses {
  const { state } = choice;
  if (choice.deleted) return always(["deleted"]);
  if (choice.status) return always(choice.status);
  if (state) return always(STATUSES.filter((status) => STATE[status] === state));
  if (choice.active_only) return always(UNFINISHED_STATUSES);
  const statuses = STATUSES.filter(
    (status) => choice.archived || DISPLAY_STATUS[status] !== "archived",
  );
  return { statuses, failed_since: choice.failed ? null : now - FAILED_SHOWN_MS };
}

/**
 * True if a list with these statuses shows a session. `ended_at` is the end of its last run, or
 * `updated_at` if it has not ended.
 */
export function isListed(
  { statuses, failed_since }: ListedStatuses,
  status: Status,
  ended_at: number,
): boolean {
  if (!statuses.includes(status)) return false;
  return status !== "failed" || failed_since === null || ended_at >= failed_since;
}

function always(statuses: readonly string[]): ListedStatuses {
  return { statuses, failed_since: null };
}
