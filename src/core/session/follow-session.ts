import type { TaskEvent } from "../../contract/events.ts";
import type { SessionHead, TaskHead } from "../../contract/head.ts";
import { decideTask } from "../task.ts";
import { isRefusal } from "./decision.ts";
import type { Applied, Origin } from "./run-commands.ts";
import { applyTaskFacts } from "./run-commands.ts";
import { TASK_STATUS } from "./status-rules.ts";

/**
 * Sets the session's status on its task, and creates the task with its first session. Null if
 * nothing changes.
 */
export function followSession(
  session: SessionHead,
  from: { readonly head: TaskHead | null; readonly seq: number },
  entity_id: string,
  origin: Origin,
): Applied<TaskEvent, TaskHead> | null {
  const { session_id, task_id, owner } = session;
  const status = TASK_STATUS[session.status];
  if (!status) return null;
  const created = from.head
    ? []
    : decideTask(
        {
          type: "create_task",
          task_id,
          entity_id,
          owner,
          title: `agent:${session.agent_name}`,
          source: session.interface,
          status,
          priority: null,
          est_hours: null,
          added_at: null,
        },
        null,
      );
  if (isRefusal(created)) return null;
  const head = from.head ?? applyTaskFacts(from, created, origin)?.head ?? null;
  const followed = decideTask({ type: "follow_session", session_id, status }, head);
  if (isRefusal(followed)) return null;
  const facts = [...created, ...followed];
  return facts.length === 0 ? null : applyTaskFacts(from, facts, origin);
}
