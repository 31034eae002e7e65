import type { OperationName, Output } from "../../src/contract/operations.ts";

export type Fields = Readonly<Record<string, unknown>>;

/** The recorded actor, if it can be set. */
export const ACTOR = "parity-actor";

/** The result of one step. */
export type Answer =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly error: string };

/** One interface on a data folder of its own. */
export interface Door {
  /** Undefined if this interface lacks the operation; then the service runs it. */
  call(operation: OperationName, input: Fields): Promise<Answer> | undefined;
  /** The service's answer in the form of this interface. */
  present(operation: OperationName, output: Output<OperationName>, input: Fields): unknown;
  close(): Promise<void>;
}

/** Without the fields that an interface sets itself; undefined if it sets another value. */
export function withoutFixed(input: Fields, fixed: Fields = {}): Fields | undefined {
  const own = Object.entries(fixed);
  if (own.some(([field, value]) => input[field] !== value)) return undefined;
  return Object.fromEntries(Object.entries(input).filter(([field]) => !(field in fixed)));
}
