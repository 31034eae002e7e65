import type { z } from "zod";
import type { OperationName, Output, Parsed } from "../contract/operations.ts";
import { OPERATIONS } from "../contract/operations.ts";
import { openShared } from "./access/open-shared.ts";
import { expectScope } from "./expect-scope.ts";
import { parseInput } from "./parse-input.ts";
import type { Caller, ServiceContext } from "./service-context.ts";

/** Every door's way in: an operation by name, with input that nobody has checked yet. */
export interface BelayService {
  call<K extends OperationName>(name: K, input: unknown, caller: Caller): Promise<Output<K>>;
}

/** What is done for each operation of the table. Each room has those it knows; the composition root puts them together. */
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
      // One check for every door.
      expectScope(caller.scope, OPERATIONS[name].scope);
      const opened = await openShared(context, name, input, caller);
      const parsed = parseInput(schemas[name].input, opened.input, OPERATIONS[name]);
      return handlers[name]({ ...context, store: opened.store }, parsed, opened.caller);
    },
  };
}

const schemas: { readonly [K in OperationName]: { readonly input: z.ZodType<Parsed<K>> } } =
  OPERATIONS;
