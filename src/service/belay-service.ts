import type { z } from "zod";
import { BelayError, refuse } from "../contract/errors.ts";
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
      return handlers[name]({ ...context, store }, parseInput(name, input), caller);
    },
  };
}

export const schemas: { readonly [K in OperationName]: { readonly input: z.ZodType<Parsed<K>> } } =
  OPERATIONS;

function parseInput<K extends OperationName>(name: K, input: unknown): Parsed<K> {
  refusePrototypeKeys(input);
  const result = schemas[name].input.safeParse(input);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const field = issue?.path.join(".") ?? "";
  if (issue?.code === "unrecognized_keys") throw unknownKeys(name, field, issue.keys);
  const code = field === "id" || field === "session_id" ? "invalid_id" : "invalid_input";
  const message = issue?.message ?? "invalid input";
  throw new BelayError(refuse(code, field ? `${field}: ${message}` : message, { field }));
}

/** Names the first of them only: a request with a million unknown keys is not sent back. */
function unknownKeys(name: OperationName, field: string, keys: readonly string[]): BelayError {
  const unknown = keys.slice(0, MAX_UNKNOWN).map((key) => key.slice(0, MAX_UNKNOWN_LENGTH));
  const many = keys.length > unknown.length ? ` and ${keys.length - unknown.length} more` : "";
  const noun = keys.length === 1 ? "Unrecognized key" : "Unrecognized keys";
  const message = `${noun}: ${unknown.map((key) => JSON.stringify(key)).join(", ")}${many}`;
  const code = OPERATIONS[name].kind === "query" ? "unknown_filter" : "invalid_input";
  const known = Object.keys(OPERATIONS[name].input.shape);
  const details = { field, unknown, known };
  return new BelayError(refuse(code, field ? `${field}: ${message}` : message, details));
}

const MAX_UNKNOWN = 10;
const MAX_UNKNOWN_LENGTH = 100;

/** Parsers drop or follow such keys; refusing them says so. */
function refusePrototypeKeys(input: unknown): void {
  if (typeof input !== "object" || input === null) return;
  for (const [key, value] of Object.entries(input)) {
    if (key === "__proto__") {
      throw new BelayError(refuse("invalid_input", 'a key cannot be "__proto__"', { field: key }));
    }
    refusePrototypeKeys(value);
  }
}
