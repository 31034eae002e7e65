import type { TaskCommand } from "../contract/commands.ts";
import { BelayError, refuse } from "../contract/errors.ts";
import type { TaskHead } from "../contract/head.ts";
import type { Task } from "../contract/session.ts";
import { isRefusal } from "../core/session/decision.ts";
import { isTaskHead } from "../core/session/known-events.ts";
import { applyTaskFacts } from "../core/session/run-commands.ts";
import { decideTask } from "../core/task.ts";
import { viewTask } from "../core/view/view-session.ts";
import { loadStream } from "../store/read-streams.ts";
import { originOf } from "./change-session.ts";
import type { Retry } from "./idempotency.ts";
import { idempotencyOf } from "./idempotency.ts";
import { redactCommands } from "./redact/redact-commands.ts";
import type { Caller, ServiceContext } from "./service-context.ts";

/** Runs a decision on one task in the store. Null means no change. */
export async function changeTask(
  context: ServiceContext,
  caller: Caller,
  task_id: string,
  command: (head: TaskHead | null) => TaskCommand | null,
  retry?: Retry,
): Promise<Task> {
  const key = { kind: "task", owner: caller.owner, key: task_id } as const;
  const origin = { at: context.now(), ...originOf(caller) };
  const redaction = await context.redaction?.();
  const outcome = await context.store.transact({
    streams: [key],
    ...(retry && { idempotency: idempotencyOf(caller, retry) }),
    decide: ({ streams: [stream] }) => {
      const head = isTaskHead(stream?.head) ? stream.head : null;
      const given = command(head);
      const [asked] = given ? redactCommands(redaction, [given]) : [];
      if (!asked) return { appends: [] };
      const facts = decideTask(asked, head);
      if (isRefusal(facts)) return { refused: facts };
      const applied = applyTaskFacts({ head, seq: stream?.seq ?? 0 }, facts, origin);
      if (!applied) return { appends: [] };
      const { entity_id: id } = applied.head;
      return { appends: [{ id, ...(stream ? {} : { create: key }), ...applied }] };
    },
  });
  if (outcome.kind === "refused") throw new BelayError(outcome.refusal);
  const stream =
    (outcome.kind === "committed" ? outcome.streams[0] : undefined) ??
    (await loadStream(context.store, key));
  if (isTaskHead(stream?.head)) return viewTask(stream.head);
  throw new BelayError(refuse("task_not_found", `Task ${task_id} not found.`, { task_id }));
}
