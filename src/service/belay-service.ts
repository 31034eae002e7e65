import type { z } from "zod";
import type { OperationName, Output, Parsed } from "../contract/operations.ts";
import { OPERATIONS } from "../contract/operations.ts";
import type { Caller, ServiceContext } from "./context.ts";
import { expectScope } from "./expect-scope.ts";
import { agentOperations } from "./operations/agents.ts";
import { approvalOperations } from "./operations/approvals.ts";
import { cleanup } from "./operations/cleanup.ts";
import { events } from "./operations/feed.ts";
import { history } from "./operations/history.ts";
import { next } from "./operations/next.ts";
import { submitObservation } from "./operations/observations.ts";
import { pastOperations } from "./operations/past.ts";
import { readingOperations } from "./operations/reading.ts";
import { recoveryOperations } from "./operations/recovery.ts";
import { sessionOperations } from "./operations/sessions.ts";
import { spans } from "./operations/spans.ts";
import { taskOperations } from "./operations/tasks.ts";
import { tokenOperations } from "./operations/tokens.ts";
import { webhookOperations } from "./operations/webhooks.ts";
import { workOperations } from "./operations/work.ts";
import { parseInput } from "./parse-input.ts";
import { storeFor } from "./recorder-store.ts";

/** Every door's way in: an operation by name, with input that nobody has checked yet. */
export interface BelayService {
  call<K extends OperationName>(name: K, input: unknown, caller: Caller): Promise<Output<K>>;
}

type Handlers = {
  readonly [K in OperationName]: (
    context: ServiceContext,
    input: Parsed<K>,
    caller: Caller,
  ) => Promise<Output<K>>;
};

const handlers: Handlers = {
  ...sessionOperations,
  ...readingOperations,
  ...workOperations,
  ...agentOperations,
  ...recoveryOperations,
  ...taskOperations,
  ...pastOperations,
  ...tokenOperations,
  ...webhookOperations,
  ...approvalOperations,
  cleanup,
  events,
  history,
  next,
  spans,
  submit_observation: submitObservation,
};

export function createService(context: ServiceContext): BelayService {
  return {
    async call(name, input, caller) {
      // One check for every door.
      expectScope(caller.scope, OPERATIONS[name].scope);
      const store = storeFor(context.store, caller);
      const parsed = parseInput(schemas[name].input, input, OPERATIONS[name]);
      return handlers[name]({ ...context, store }, parsed, caller);
    },
  };
}

export const schemas: { readonly [K in OperationName]: { readonly input: z.ZodType<Parsed<K>> } } =
  OPERATIONS;
