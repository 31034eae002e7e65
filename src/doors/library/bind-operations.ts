import type { OperationName, Output } from "../../contract/operations.ts";
import { METHODS, type MethodGroup } from "./methods.ts";
import type { BelayOperations } from "./operations.ts";

type Bind = <K extends OperationName>(name: K) => (input?: unknown) => Promise<Output<K>>;

/** Connects each method to its operation. */
export function bindOperations(bind: Bind): BelayOperations;
export function bindOperations(bind: Bind): object {
  const groups = Object.entries<MethodGroup>(METHODS).map(([group, { methods }]) => {
    const bound = Object.entries(methods).map(([method, name]) => [method, bind(name)]);
    return [group, Object.fromEntries(bound)];
  });
  return Object.fromEntries(groups);
}
