import type { TaskCommand } from "../../contract/commands.ts";
import { BelayError, refuse } from "../../contract/errors.ts";
import type { Output, Parsed } from "../../contract/operations.ts";
import type { Task } from "../../contract/session.ts";
import { applyTaskFacts } from "../../core/apply-facts.ts";
import { isRefusal } from "../../core/decision.ts";
import { isTaskHead } from "../../core/known-events.ts";
import { decideTask } from "../../core/task.ts";
import { viewTask } from "../../core/view-session.ts";
import { originOf } from "../change-session.ts";
import type { Caller, ServiceContext } from "../context.ts";
import type { Retry } from "../idempotency.ts";
import { idempotencyOf, idFor, retryOf } from "../idempotency.ts";

export const taskOperations = {
  async add_task(context: ServiceContext, input: Parsed<"add_task">, caller: Caller) {
    const retry = retryOf("add_task", input);
    const entity_id = idFor(context, caller, retry);
    const task_id = input.task_id ?? entity_id;
    return changeTask(context, caller, task_id, retry, {
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
    });
  },

  async update_task(context: ServiceContext, input: Parsed<"update_task">, caller: Caller) {
    const { title, status, priority, est_hours } = input;
    return changeTask(context, caller, input.task_id, retryOf("update_task", input), {
      type: "update_task",
      ...(title !== undefined && { title }),
      ...(status !== undefined && { status }),
      ...(priority !== undefined && { priority }),
      ...(est_hours !== undefined && { est_hours }),
    });
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
    return { tasks: heads.map(viewTask), next_cursor: page.next };
  },
};

async function changeTask(
  context: ServiceContext,
  caller: Caller,
  task_id: string,
  retry: Retry | undefined,
  command: TaskCommand,
): Promise<Task> {
  const key = { kind: "task", owner: caller.owner, key: task_id } as const;
  const origin = { at: context.now(), ...originOf(caller) };
  const outcome = await context.store.transact({
    streams: [key],
    ...(retry && { idempotency: idempotencyOf(caller, retry) }),
    decide: ({ streams: [stream] }) => {
      const head = isTaskHead(stream?.head) ? stream.head : null;
      const facts = decideTask(command, head);
      if (isRefusal(facts)) return { refused: facts };
      const applied = applyTaskFacts({ head, seq: stream?.seq ?? 0 }, facts, origin);
      if (!applied) return { appends: [] };
      return {
        appends: [{ id: applied.head.entity_id, ...(stream ? {} : { create: key }), ...applied }],
      };
    },
  });
  if (outcome.kind === "refused") throw new BelayError(outcome.refusal);
  const stream =
    (outcome.kind === "committed" ? outcome.streams[0] : undefined) ??
    (await context.store.load(key));
  if (isTaskHead(stream?.head)) return viewTask(stream.head);
  throw new BelayError(refuse("task_not_found", `there is no task ${task_id}`, { task_id }));
}
