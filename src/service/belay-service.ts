import type { z } from "zod";
import { BelayError, refuse } from "../contract/errors.ts";
import type { Operation } from "../contract/operations/operation.ts";
import type { OperationName, Output, Parsed } from "../contract/operations.ts";
import { OPERATIONS } from "../contract/operations.ts";
import type { Scope } from "../contract/vocabulary.ts";
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
      expectScope(caller.scope, scopeOf(OPERATIONS[name]));
      return handlers[name](context, parseInput(name, input), caller);
    },
  };
}

function scopeOf({ kind, scope }: Operation): Scope {
  return scope ?? (kind === "query" ? "read" : "write");
}

const schemas: { readonly [K in OperationName]: { readonly input: z.ZodType<Parsed<K>> } } =
  OPERATIONS;

function parseInput<K extends OperationName>(name: K, input: unknown): Parsed<K> {
  refusePrototypeKeys(input);
  const result = schemas[name].input.safeParse(input);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const field = issue?.path.join(".") ?? "";
  const query = OPERATIONS[name].kind === "query";
  const code =
    issue?.code === "unrecognized_keys" && query
      ? "unknown_filter"
      : field === "id" || field === "session_id"
        ? "invalid_id"
        : "invalid_input";
  throw new BelayError(
    refuse(code, field ? `${field}: ${issue?.message}` : (issue?.message ?? "invalid input"), {
      field,
      ...(issue?.code === "unrecognized_keys" && {
        unknown: issue.keys,
        known: Object.keys(OPERATIONS[name].input.shape),
      }),
    }),
  );
}

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
