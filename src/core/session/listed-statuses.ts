import type { State, Status } from "../../contract/vocabulary.ts";
import { STATUSES, UNFINISHED_STATUSES } from "../../contract/vocabulary.ts";
import { DISPLAY_STATUS, STATE } from "./status-rules.ts";

/** How long lists show a failed session that nobody has asked for. */
const FAILED_SHOWN_MS = 24 * 3_600_000;

/** What a caller says about the sessions that a list is to show. */
interface ListChoice {
  readonly deleted?: boolean;
  readonly status?: readonly Status[] | undefined;
  readonly state?: State | undefined;
  readonly active_only?: boolean;
  /** Archived and cancelled ones too. */
  readonly archived?: boolean;
  /** Failed ones of any age. */
  readonly failed?: boolean;
}

interface ListedStatuses {
  readonly statuses: readonly string[];
  /** Failed sessions are listed only if they failed at or after this time; null: whenever they failed. */
  readonly failed_since: number | null;
}

/** The one rule for what lists show, in every door. */
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

/** Whether a list with these statuses shows a session. `ended_at` is when its last run ended, `updated_at` where it did not. */
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
