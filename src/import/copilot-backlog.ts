import type { TaskCommand } from "../contract/commands.ts";
import { BelayError } from "../contract/errors.ts";
import type { TaskHead } from "../contract/head.ts";
import { changeTask } from "../service/change-task.ts";
import type { Caller, ServiceContext } from "../service/context.ts";
import type { BacklogLine } from "./backlog-file.ts";

/** Takes over the rows of a database's backlog. They win over what a file says, so they come after it. */
export async function takeOverBacklog(
  context: ServiceContext,
  caller: Caller,
  lines: readonly BacklogLine[],
): Promise<{ readonly rows: number; readonly changed: boolean }> {
  let rows = 0;
  let changed = false;
  for (const line of lines) {
    try {
      await changeTask(context, caller, line.id, (head) => {
        const change = changeOf(line, head, caller, context);
        changed ||= change !== null;
        return change;
      });
      rows += 1;
    } catch (error) {
      // A row that is no task of ours hides no others.
      if (!(error instanceof BelayError) || error.code.startsWith("storage_")) throw error;
    }
  }
  return { rows, changed };
}

function changeOf(
  line: BacklogLine,
  head: TaskHead | null,
  { owner }: Caller,
  context: ServiceContext,
): TaskCommand | null {
  const { id, title = head?.title ?? id, status = head?.status ?? "pending" } = line;
  const priority = line.priority ?? head?.priority ?? null;
  const est_hours = line.est_hours ?? head?.est_hours ?? null;
  const told = { title, status, priority, est_hours };
  if (!head) {
    const made = { task_id: id, entity_id: context.newId(), owner, source: "backlog" };
    return { type: "create_task", ...made, ...told, added_at: line.added_at ?? null };
  }
  const isSame =
    title === head.title &&
    status === head.status &&
    priority === head.priority &&
    est_hours === head.est_hours;
  return isSame ? null : { type: "update_task", ...told };
}
