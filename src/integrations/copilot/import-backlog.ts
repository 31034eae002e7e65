import { BelayError } from "../../contract/errors.ts";
import { isRecord } from "../../contract/is-record.ts";
import { changeTask } from "../../service/change-task.ts";
import type { Caller, ServiceContext } from "../../service/service-context.ts";
import { loadStream, readEvents } from "../../store/read-streams.ts";
import type { BacklogLine } from "./backlog-file.ts";
import { toTaskCommand } from "./sync-backlog.ts";

/**
 * Imports the rows of a database's backlog. They are imported after those of a file, because they override them. If a
 * session has changed the status of a task since then, that status stays.
 */
export async function importBacklog(
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
        const before = head && { ...head, status: told ?? head.status };
        const change = toTaskCommand(line, before, caller, context);
        changed ||= change !== null;
        return change;
      });
      rows += 1;
    } catch (error) {
      // A row that is not a valid task hides no others.
      if (!(error instanceof BelayError) || error.code.startsWith("storage_")) throw error;
    }
  }
  return { rows, changed };
}

/** The status that was set last; null if none was. */
async function readToldStatus(
  store: ServiceContext["store"],
  owner: string,
  key: string,
): Promise<string | null> {
  const stream = await loadStream(store, { kind: "task", owner, key });
  if (!stream) return null;
  const events = await readEvents(store, stream.id, { before: stream.seq + 1, limit: 1000 });
  const statuses = events.flatMap(({ type, data }) => {
    if (type === "task.followed" || !isRecord(data)) return [];
    return typeof data.status === "string" ? [data.status] : [];
  });
  return statuses.at(-1) ?? null;
}
