import { hash } from "node:crypto";
import type { OperationName } from "../contract/operations.ts";
import type { Idempotency } from "../store/stream-store.ts";
import type { Caller, ServiceContext } from "./service-context.ts";

/** The data that identifies a repeated request. */
export interface Retry {
  readonly operation: string;
  readonly key: string;
  readonly request: unknown;
}

/**
 * An id for a new item. With an idempotency key the id is derived from the key, so that a repeated request gets the
 * same answer.
 */
export function idFor(context: ServiceContext, caller: Caller, retry: Retry | undefined): string {
  if (!retry) return context.newId();
  const hex = hash("sha256", `${scopeOf(caller, retry)}\n${retry.key}`, "hex");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

export function retryOf(
  operation: OperationName,
  input: { readonly idempotency_key?: string | undefined },
): Retry | undefined {
  if (input.idempotency_key === undefined) return undefined;
  return { operation, key: input.idempotency_key, request: input };
}

export function idempotencyOf(caller: Caller, retry: Retry): Idempotency {
  return {
    scope: scopeOf(caller, retry),
    key: retry.key,
    digest: hash("sha256", JSON.stringify(retry.request), "base64url"),
  };
}

/** A person who acts in another's session has keys of their own. No name contains a control character. */
function scopeOf({ owner, person }: Caller, { operation }: Retry): string {
  return person === undefined ? `${owner}/${operation}` : `${person}\u0001${owner}/${operation}`;
}
