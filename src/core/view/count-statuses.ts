import type { Status } from "../../contract/vocabulary.ts";
import { STATUSES } from "../../contract/vocabulary.ts";
import { DISPLAY_STATUS } from "../session/status-rules.ts";

/** The number of sessions with a status, and of the approvals that wait in them. */
interface StatusTally {
  readonly status: string;
  readonly streams: number;
  readonly waiting: number;
}

interface SessionCounts {
  readonly by_status: Record<Status, number>;
  readonly badge: number;
  readonly waiting: number;
}

/** Sessions in the trash are listed under a status of their own, so they are not counted. */
export function countStatuses(tallies: readonly StatusTally[]): SessionCounts {
  const by_status: SessionCounts["by_status"] = {
    created: 0,
    active: 0,
    suspended: 0,
    completed: 0,
    failed: 0,
    cancelled: 0,
    archived: 0,
  };
  let waiting = 0;
  for (const tally of tallies) {
    const status = STATUSES.find((known) => known === tally.status);
    if (status === undefined) continue;
    by_status[status] += tally.streams;
    waiting += tally.waiting;
  }
  const shown = STATUSES.filter((status) => isInBadge(status));
  const badge = shown.reduce((sum, status) => sum + by_status[status], 0);
  return { by_status, badge, waiting };
}

function isInBadge(status: Status): boolean {
  const shown = DISPLAY_STATUS[status];
  return shown === "active" || shown === "suspended";
}
