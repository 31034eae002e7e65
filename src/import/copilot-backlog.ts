import type { TaskCommand } from "../contract/commands.ts";
import { BelayError } from "../contract/errors.ts";
import type { TaskHead } from "../contract/head.ts";
import { changeTask } from "../service/change-task.ts";
import type { Caller, ServiceContext } from "../service/context.ts";
import type { BacklogLine } from "./backlog-file.ts";

/**
 * Takes over the rows of a database's backlog. They win over what a file says, so they come after it. A status that a
 * task has taken on by itself since then, because a session of it went on, stays.
 */
export async function takeOverBacklog(
  context: ServiceContext,
  caller: Caller,
  lines: readonly BacklogLine[],
): Promise<{ readonly rows: number; readonly changed: boolean }> {
  let rows = 0;
  let changed = false;
  for (const line of lines) {
    try {
      const told = await readToldStatus(context.store, caller.owner, line.id);
      await changeTask(context, caller, line.id, (head) => {
        const change = changeOf(line, head && { ...head, status: told ?? head.status }, {
          entity_id: context.newId(),
          owner: caller.owner,
        });
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

/** What anyone last said the status is; null where nobody did. */
async function readToldStatus(
  store: ServiceContext["store"],
  owner: string,
  key: string,
): Promise<string | null> {
  const stream = await store.load({ kind: "task", owner, key });
  if (!stream) return null;
  const events = await store.readEvents(stream.id, { before: stream.seq + 1, limit: 1000 });
  const statuses = events.flatMap(({ type, data }) => {
    const isTold = type !== "task.followed" && typeof data === "object" && data !== null;
    return isTold && "status" in data && typeof data.status === "string" ? [data.status] : [];
  });
  return statuses.at(-1) ?? null;
}

function changeOf(
  line: BacklogLine,
  head: TaskHead | null,
  made: { readonly entity_id: string; readonly owner: string },
): TaskCommand | null {
  const { id, title = head?.title ?? id, status = head?.status ?? "pending" } = line;
  const priority = line.priority ?? head?.priority ?? null;
  const est_hours = line.est_hours ?? head?.est_hours ?? null;
  const told = { title, status, priority, est_hours };
  if (!head) {
    const added_at = line.added_at ?? null;
    return { type: "create_task", task_id: id, source: "backlog", ...made, ...told, added_at };
  }
  const isSame =
    title === head.title &&
    status === head.status &&
    priority === head.priority &&
    est_hours === head.est_hours;
  return isSame ? null : { type: "update_task", ...told };
}
