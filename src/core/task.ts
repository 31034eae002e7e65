import type { TaskCommand } from "../contract/commands.ts";
import type { Refusal } from "../contract/errors.ts";
import { refuse } from "../contract/errors.ts";
import type { TaskEvent, TaskFact } from "../contract/events.ts";
import type { TaskHead } from "../contract/head.ts";
import { LIMITS } from "../contract/limits.ts";
import { refuseTooLong } from "./session/decision.ts";

export function decideTask(
  command: TaskCommand,
  head: TaskHead | null,
): readonly TaskFact[] | Refusal {
  switch (command.type) {
    case "create_task": {
      if (head)
        return refuse("task_exists", `Task ${head.task_id} already exists. Choose another id.`, {});
      const { type, ...data } = command;
      return (
        refuseTooLong({
          task_id: [data.task_id, LIMITS.TASK_ID],
          status: [data.status, LIMITS.ITEM_ID],
          priority: [data.priority, LIMITS.ITEM_ID],
          title: [data.title, LIMITS.TITLE],
          owner: [data.owner, LIMITS.OWNER],
          source: [data.source, LIMITS.NAME],
          added_at: [data.added_at, LIMITS.NAME],
        }) ?? [{ type: "task.created", data }]
      );
    }
    case "update_task": {
      if (!head) return refuse("task_not_found", "Task not found.");
      const { type, ...data } = command;
      return (
        refuseTooLong({
          title: [data.title ?? null, LIMITS.TITLE],
          status: [data.status ?? null, LIMITS.ITEM_ID],
          priority: [data.priority ?? null, LIMITS.ITEM_ID],
        }) ?? [{ type: "task.updated", data }]
      );
    }
    case "follow_session": {
      const { session_id, status } = command;
      if (!head) return [];
      if (head.status === status && head.session_id === session_id) return [];
      return [{ type: "task.followed", data: { session_id, status } }];
    }
    default:
      return command satisfies never;
  }
}

export function evolveTask(head: TaskHead | null, event: TaskEvent): TaskHead | null {
  if (event.type === "task.created") {
    return {
      kind: "task",
      ...event.data,
      session_id: null,
      created_at: event.at,
      updated_at: event.at,
    };
  }
  if (!head) return null;
  if (event.type === "task.followed") return { ...head, ...event.data, updated_at: event.at };
  const { title, status, priority, est_hours } = event.data;
  return {
    ...head,
    title: title ?? head.title,
    status: status ?? head.status,
    priority: priority === undefined ? head.priority : priority,
    est_hours: est_hours === undefined ? head.est_hours : est_hours,
    updated_at: event.at,
  };
}
