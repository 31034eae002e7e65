import type { Input } from "../../../src/contract/operations.ts";
import type { Session } from "../../../src/contract/session.ts";
import { STATUSES } from "../../../src/contract/vocabulary.ts";
import { isListed, listedStatuses } from "../../../src/core/session/listed-statuses.ts";
import { matchesWords, wordsOf } from "../../../src/core/view/match-words.ts";
import type { Filters } from "./filters.ts";

/** The input of the server's list operation. */
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

function statusInput({ status, archived }: Filters) {
  if (status === "any") return { status: [...STATUSES] };
  if (status !== undefined) return { status: [status] };
  return archived ? { archived } : {};
}

/** True if a session belongs in a list: the server's rule, for sessions that change while the list is shown. */
export function fits(session: Session, filters: Filters): boolean {
  const { agent, project, task } = filters;
  const listed = listedStatuses(statusInput(filters), Date.now());
  return (
    session.deleted_at === null &&
    isListed(listed, session.status, Date.parse(session.ended_at ?? session.updated_at)) &&
    (agent === undefined || session.agent_name === agent) &&
    (project === undefined || session.project?.cwd === project) &&
    (task === undefined || session.task_id === task) &&
    matchesWords({ ...session, ended: { summary: session.summary } }, wordsOf(filters.q ?? ""))
  );
}
