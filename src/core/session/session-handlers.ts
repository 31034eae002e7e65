import type { SessionCommand, SessionCommandType } from "../../contract/commands.ts";
import type { SessionHead } from "../../contract/head.ts";
import { approvalHandlers } from "./approvals.ts";
import type { DecisionContext, Verdict } from "./decision.ts";
import { lifecycleHandlers } from "./lifecycle.ts";
import { noteHandlers } from "./notes.ts";
import { workHandlers } from "./work.ts";

type Handlers = {
  readonly [K in SessionCommandType]: (
    command: SessionCommand<K>,
    head: SessionHead,
    context: DecisionContext,
  ) => Verdict;
};

const handlers: Handlers = {
  ...lifecycleHandlers,
  ...noteHandlers,
  ...approvalHandlers,
  ...workHandlers,
};

/** Decides one command whose status rule has let it through. */
export function handle<K extends SessionCommandType>(
  command: SessionCommand<K>,
  head: SessionHead,
  context: DecisionContext,
): Verdict {
  return handlers[command.type](command, head, context);
}
