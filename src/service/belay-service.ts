import type { z } from "zod";
import { describeIssue } from "../contract/describe-issue.ts";
import { BelayError, type ErrorCode, refuse } from "../contract/errors.ts";
import { isRecord } from "../contract/is-record.ts";
import type { Operation } from "../contract/operations/operation.ts";
import type { OperationName, Output, Parsed } from "../contract/operations.ts";
import { OPERATIONS } from "../contract/operations.ts";
import { recordRefused } from "./access/access-log.ts";
import { nameRefused, nameShared } from "./access/name-shared.ts";
import { openShared } from "./access/open-shared.ts";
import { expectScope, hasScope } from "./expect-scope.ts";
import type { Caller, ServiceContext } from "./service-context.ts";

/** The entry point for every interface: an operation by name, with unchecked input. */
export interface BelayService {
  call<K extends OperationName>(name: K, input: unknown, caller: Caller): Promise<Output<K>>;
}

/** The handler of each operation. Each room has its own; the composition root joins them. */
export type Handlers<C extends ServiceContext> = {
  readonly [K in OperationName]: (
    context: C,
    input: Parsed<K>,
    caller: Caller,
  ) => Promise<Output<K>>;
};

export function bindHandlers<C extends ServiceContext>(
  context: C,
  handlers: Handlers<C>,
): BelayService {
  return {
    async call(name, input, caller) {
      const operation: Operation = OPERATIONS[name];
      const { scope } = operation;
      // This one check covers every interface.
      if (!hasScope(caller.scope, scope)) {
        await recordRefused(context, caller, name);
        expectScope(caller.scope, scope);
      }
      const opening = openShared(context, name, input, caller);
      // Waiting takes a moment, even for a value.
      const opened = opening instanceof Promise ? await opening : opening;
      const parsed = parseInput(schemas[name].input, opened.input, OPERATIONS[name]);
      const { store } = opened;
      const wholeIds = isRecord(parsed) && operation.closes?.(parsed);
      const handled =
        store === context.store && !wholeIds
          ? context
          : { ...context, store, ...(wholeIds && { wholeIds }) };
      try {
        return nameShared(await handlers[name](handled, parsed, opened.caller), opened.caller);
      } catch (error) {
        const isRefused = error instanceof BelayError && REFUSALS.has(error.code);
        if (isRefused) await recordRefused(context, caller, name, opened.shared);
        throw nameRefused(error, opened.caller);
      }
    },
  };
}

const REFUSALS: ReadonlySet<ErrorCode> = new Set(["not_allowed", "agent_not_trusted"]);

const schemas: { readonly [K in OperationName]: { readonly input: z.ZodType<Parsed<K>> } } =
  OPERATIONS;

interface About {
  readonly kind: "command" | "query";
  readonly input: { readonly shape: object };
}

/** Validates input against its schema. Throws an error about the first invalid field. */
function parseInput<T>(schema: z.ZodType<T>, input: unknown, about: About): T {
  refusePrototypeKeys(input);
  const result = schema.safeParse(input);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const field = issue?.path.join(".") ?? "";
  if (issue?.code === "unrecognized_keys") throw unknownKeys(about, field, issue.keys);
  const code = field === "id" || field === "session_id" ? "invalid_id" : "invalid_input";
  if (!issue) throw new BelayError(refuse(code, "The input is invalid. Check its fields."));
  const told = describeIssue(issue);
  const message = told.startsWith("must ") ? `The input ${told}` : told;
  throw new BelayError(refuse(code, message, { field }));
}

/** The same for input that belongs to no operation. */
export function parseObject<T>(schema: z.ZodType<T> & About["input"], input: unknown): T {
  return parseInput(schema, input, { kind: "command", input: schema });
}

/** Names only the first keys, because a request may have a million. */
function unknownKeys({ kind, input }: About, field: string, keys: readonly string[]): BelayError {
  const unknown = keys.slice(0, MAX_UNKNOWN).map((key) => key.slice(0, MAX_UNKNOWN_LENGTH));
  const many = keys.length > unknown.length ? ` and ${keys.length - unknown.length} more` : "";
  const noun = kind === "query" ? "parameter" : "field";
  const names = `${noun} ${unknown.map((key) => JSON.stringify(key)).join(", ")}${many}`;
  const code = kind === "query" ? "unknown_filter" : "invalid_input";
  const details = { field, unknown, known: Object.keys(input.shape) };
  return new BelayError(
    refuse(code, field ? `${field}: unknown ${names}.` : `Unknown ${names}.`, details),
  );
}

const MAX_UNKNOWN = 10;
const MAX_UNKNOWN_LENGTH = 100;

/** Parsers drop or follow such keys, so they are refused openly. */
function refusePrototypeKeys(input: unknown): void {
  if (typeof input !== "object" || input === null) return;
  if (Object.hasOwn(input, "__proto__")) {
    const message = 'A key cannot be "__proto__".';
    throw new BelayError(refuse("invalid_input", message, { field: "__proto__" }));
  }
  for (const value of Object.values(input)) {
    if (typeof value === "object") refusePrototypeKeys(value);
  }
}
