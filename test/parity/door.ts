import type { OperationName, Output } from "../../src/contract/operations.ts";

export type Fields = Readonly<Record<string, unknown>>;

/** Who is on record, wherever that can be said. */
export const ACTOR = "parity-actor";

/** What came of one step. */
export type Answer =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly error: string };

/** One way in, on a data folder of its own. */
export interface Door {
  /** Undefined where this door does not have the operation; then it is done through the service. */
  call(operation: OperationName, input: Fields): Promise<Answer> | undefined;
  /** The service's answer in the form in which this door gives it. */
  present(operation: OperationName, output: Output<OperationName>, input: Fields): unknown;
  close(): Promise<void>;
}

/** Without the fields that a door says itself; undefined where it says something else than is wanted. */
export function withoutFixed(input: Fields, fixed: Fields = {}): Fields | undefined {
  const own = Object.entries(fixed);
  if (own.some(([field, value]) => input[field] !== value)) return undefined;
  return Object.fromEntries(Object.entries(input).filter(([field]) => !(field in fixed)));
}
