import type { Input } from "../../../src/contract/operations.ts";
import type { Session } from "../../../src/contract/session.ts";
import { STATUSES, type Status } from "../../../src/contract/vocabulary.ts";
import { matchesWords, wordsOf } from "../../../src/core/match-words.ts";
import { DISPLAY_STATUS } from "../../../src/core/status-rules.ts";
import type { Filters } from "./filters.ts";

/** What the number beside the heading counts, too. */
const SHOWN: readonly Status[] = STATUSES.filter(
  (status) => DISPLAY_STATUS[status] === "active" || DISPLAY_STATUS[status] === "suspended",
);
/** What is put away comes with what is not; failed ones have to be asked for. */
const SHOWN_WITH_ARCHIVED: readonly Status[] = STATUSES.filter(
  (status) => DISPLAY_STATUS[status] !== "error",
);

/** How the server is asked for a list. */
export function listInput(filters: Filters): Input<"list"> & object {
  const { agent, project, task } = filters;
  const search = filters.q?.trim() ?? "";
  return {
    ...statusInput(filters),
    ...(agent !== undefined && { agent }),
    ...(project !== undefined && { project }),
    ...(task !== undefined && { task_id: task }),
    ...(search !== "" && { search }),
  };
}

function statusInput({ status, archived }: Filters): Input<"list"> & object {
  if (status !== undefined) return { status: [status] };
  return archived ? { archived: true } : { status: [...SHOWN] };
}

/** Whether a session belongs into a list: what the server would say, for sessions that change while one looks. */
export function fits(session: Session, filters: Filters): boolean {
  const { status, agent, project, task, archived } = filters;
  const statuses = status === undefined ? (archived ? SHOWN_WITH_ARCHIVED : SHOWN) : [status];
  return (
    session.deleted_at === null &&
    statuses.includes(session.status) &&
    (agent === undefined || session.agent_name === agent) &&
    (project === undefined || session.project?.cwd === project) &&
    (task === undefined || session.task_id === task) &&
    matchesWords({ ...session, ended: { summary: session.summary } }, wordsOf(filters.q ?? ""))
  );
}
