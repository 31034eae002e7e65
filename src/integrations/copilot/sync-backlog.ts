import type { TaskCommand } from "../../contract/commands.ts";
import { BelayError } from "../../contract/errors.ts";
import type { TaskHead } from "../../contract/head.ts";
import type { Task } from "../../contract/session.ts";
import { changeTask } from "../../service/change-task.ts";
import { loadSystemHead, recordSystemFact } from "../../service/record-system-fact.ts";
import type { Caller, ServiceContext } from "../../service/service-context.ts";
import type { BacklogLine } from "./backlog-file.ts";
import {
  appendBacklogLine,
  backlogFile,
  readNamedBacklog,
  readOwnBacklog,
} from "./backlog-file.ts";

interface SyncReport {
  readonly source: string;
  readonly rows: number;
  readonly damaged: readonly number[];
}

/** Imports the new lines of a workspace's backlog file. Null if there is nothing new, or no such file. */
export async function syncBacklog(
  context: ServiceContext,
  caller: Caller,
  cwd: string,
  named?: string,
): Promise<SyncReport | null> {
  const source = named ?? backlogFile(cwd);
  const system = await loadSystemHead(context.store, caller.owner, cwd);
  const isOwn = source === backlogFile(cwd);
  const known = isOwn && system?.backlog?.source === source ? system.backlog.offset : 0;
  const part = named === undefined ? readOwnBacklog(cwd, known) : readNamedBacklog(named, known);
  if (!part || part.offset === known) return null;
  const refused: string[] = [];
  await Promise.all(
    part.lines.map((line) =>
      changeTask(context, caller, line.id, (head) =>
        toTaskCommand(line, head, caller, context),
      ).catch((error: unknown) => {
        if (!(error instanceof BelayError)) throw error;
        refused.push(line.id);
      }),
    ),
  );
  const report = { source, rows: part.lines.length - refused.length, damaged: [...part.damaged] };
  await recordSystemFact(
    context,
    caller,
    { type: "recovery.sync", data: { cwd, ...report, offset: isOwn ? part.offset : null } },
    `${source}:${known}:${part.offset}`,
  );
  return report;
}

/** Writes a task to the workspace's backlog file, if there is one, so that other readers see it too. */
export function writeBacklog(cwd: string, task: Task): void {
  const { task_id: id, title, status, priority, est_hours } = task;
  appendBacklogLine(cwd, {
    id,
    title,
    status,
    ...(priority !== null && { priority }),
    ...(est_hours !== null && { est_hours }),
    added_at: task.added_at ?? task.created_at,
  });
}

/** The command for a line of a backlog; null if the task is already like that. */
export function toTaskCommand(
  line: BacklogLine,
  head: TaskHead | null,
  caller: Caller,
  context: ServiceContext,
): TaskCommand | null {
  const { id, title, status, priority, est_hours, added_at } = line;
  if (!head) {
    return {
      type: "create_task",
      task_id: id,
      entity_id: context.newId(),
      owner: caller.owner,
      title: title ?? id,
      source: "backlog",
      status: status ?? "pending",
      priority: priority ?? null,
      est_hours: est_hours ?? null,
      added_at: added_at ?? null,
    };
  }
  const changes = {
    ...(title !== undefined && title !== head.title && { title }),
    ...(status !== undefined && status !== head.status && { status }),
    ...(priority !== undefined && priority !== head.priority && { priority }),
    ...(est_hours !== undefined && est_hours !== head.est_hours && { est_hours }),
  };
  return Object.keys(changes).length === 0 ? null : { type: "update_task", ...changes };
}
