import { z } from "zod";
import { Name } from "../ids.ts";
import { Task } from "../session.ts";
import { Cursor, Limit, type Operations, Retry, timeField } from "./operation.ts";

const Status = Name.default("pending").describe(
  "the status, such as pending, running or completed",
);
const Priority = z.string().optional().describe("the priority, such as high or low");
const Hours = z.number().nonnegative().optional().describe("estimated hours of work");

export const taskOperations = {
  add_task: {
    kind: "command",
    scope: "write",
    doc: "Add a task to the backlog",
    input: z.strictObject({
      task_id: Name.optional().describe("the task's id; default: a new id"),
      title: z.string().min(1),
      status: Status,
      priority: Priority,
      est_hours: Hours,
      added_at: timeField("when the task was added"),
      ...Retry,
    }),
    output: Task,
    errors: ["task_exists", "too_large"],
  },
  update_task: {
    kind: "command",
    scope: "write",
    doc: "Change a task",
    input: z.strictObject({
      task_id: Name,
      title: z.string().min(1).optional().describe("a new title"),
      status: Name.optional().describe("a new status"),
      priority: Priority,
      est_hours: Hours,
      ...Retry,
    }),
    output: Task,
    errors: ["task_not_found", "too_large"],
  },
  list_tasks: {
    kind: "query",
    scope: "read",
    doc: "List tasks, the most recently changed first",
    input: z.strictObject({
      status: Name.optional().describe("only tasks with this status"),
      limit: Limit,
      cursor: Cursor,
    }),
    output: z.object({
      tasks: z.array(Task),
      next_cursor: z.string().nullable(),
      damaged: z.array(z.string()).describe("tasks that cannot be read"),
    }),
    errors: ["unknown_filter"],
  },
} as const satisfies Operations;
