import { z } from "zod";
import { Name } from "../ids.ts";
import { Task } from "../session.ts";
import { Limit, type Operations, Retry, timeField } from "./operation.ts";

export const taskOperations = {
  add_task: {
    kind: "command",
    scope: "write",
    doc: "Put a task on the backlog",
    input: z.strictObject({
      task_id: Name.optional(),
      title: z.string().min(1),
      status: Name.default("pending"),
      priority: z.string().optional(),
      est_hours: z.number().nonnegative().optional(),
      added_at: timeField(),
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
      title: z.string().min(1).optional(),
      status: Name.optional(),
      priority: z.string().optional(),
      est_hours: z.number().nonnegative().optional(),
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
      status: Name.optional(),
      limit: Limit,
      cursor: z.string().optional(),
    }),
    output: z.object({
      tasks: z.array(Task),
      next_cursor: z.string().nullable(),
      damaged: z.array(z.string()).describe("tasks that cannot be read"),
    }),
    errors: ["unknown_filter"],
  },
} as const satisfies Operations;
