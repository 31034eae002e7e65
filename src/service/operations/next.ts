import type { Output, Parsed } from "../../contract/operations.ts";
import { UNFINISHED_STATUSES } from "../../contract/vocabulary.ts";
import { isTaskHead } from "../../core/session/known-events.ts";
import { viewTask } from "../../core/view/view-session.ts";
import { loadStream } from "../../store/read-streams.ts";
import { readApprovals } from "../approval/read-approvals.ts";
import { everySession } from "../read/every-session.ts";
import { readConversation } from "../read/read-conversation.ts";
import { showWholeSession } from "../read/show-session.ts";
import type { Caller, ServiceContext } from "../service-context.ts";

/** Returns the sessions that the caller most likely wants to continue. */
export async function next(
  context: ServiceContext,
  input: Parsed<"next">,
  caller: Caller,
): Promise<Output<"next">> {
  const { task_id, project } = input;
  const { store } = context;
  const unfinished = everySession(store, caller.owner, {
    status: UNFINISHED_STATUSES,
    ...(task_id !== undefined && { task: task_id }),
    ...(project !== undefined && { project }),
  });
  for await (const found of unfinished) {
    const { turns } = await readConversation(store, found.stream.id, { limit: 1 });
    const task = await loadStream(store, {
      kind: "task",
      owner: caller.owner,
      key: found.head.task_id,
    });
    return {
      session: await showWholeSession(context, found),
      last_turn: turns[0] ?? null,
      approvals: (await readApprovals(store, [{ ...found.stream, head: found.head }])).approvals,
      task: isTaskHead(task?.head) ? viewTask(task.head) : null,
    };
  }
  const { streams } = await store.list({
    kind: "task",
    owner: caller.owner,
    filter: { status: ["pending"], ...(task_id !== undefined && { task: task_id }) },
    limit: 1,
  });
  const task = streams[0]?.head;
  return {
    session: null,
    last_turn: null,
    approvals: [],
    task: isTaskHead(task) ? viewTask(task) : null,
  };
}
