import type { TaskCommand } from "../../contract/commands.ts";
import type { Output, Parsed } from "../../contract/operations.ts";
import { isTaskHead } from "../../core/session/known-events.ts";
import { viewTask } from "../../core/view/view-session.ts";
import { changeTask } from "../change-task.ts";
import { idFor, retryOf } from "../idempotency.ts";
import type { Caller, ServiceContext } from "../service-context.ts";

export const taskOperations = {
  async add_task(context: ServiceContext, input: Parsed<"add_task">, caller: Caller) {
    const retry = retryOf("add_task", input);
    const entity_id = idFor(context, caller, retry);
    const task_id = input.task_id ?? entity_id;
    const command: TaskCommand = {
      type: "create_task",
      task_id,
      entity_id,
      owner: caller.owner,
      title: input.title,
      source: caller.interface,
      status: input.status,
      priority: input.priority ?? null,
      est_hours: input.est_hours ?? null,
      added_at: input.added_at ?? null,
    };
    return changeTask(context, caller, task_id, () => command, retry);
  },

  async update_task(context: ServiceContext, input: Parsed<"update_task">, caller: Caller) {
    const { title, status, priority, est_hours } = input;
    const command: TaskCommand = {
      type: "update_task",
      ...(title !== undefined && { title }),
      ...(status !== undefined && { status }),
      ...(priority !== undefined && { priority }),
      ...(est_hours !== undefined && { est_hours }),
    };
    return changeTask(context, caller, input.task_id, () => command, retryOf("update_task", input));
  },

  async list_tasks(
    { store }: ServiceContext,
    input: Parsed<"list_tasks">,
    caller: Caller,
  ): Promise<Output<"list_tasks">> {
    const page = await store.list({
      kind: "task",
      owner: caller.owner,
      filter: input.status === undefined ? {} : { status: [input.status] },
      limit: input.limit,
      ...(input.cursor !== undefined && { after: input.cursor }),
    });
    const heads = page.streams.map((stream) => stream.head).filter(isTaskHead);
    const damaged = page.damaged.map(({ key }) => key);
    return { tasks: heads.map(viewTask), next_cursor: page.next, damaged };
  },
};
