import { BelayError, refuse } from "../../contract/errors.ts";
import { ownerIn } from "../../contract/id-pattern.ts";
import { isRecord } from "../../contract/is-record.ts";
import type { Caller } from "../service-context.ts";

/** The answer of a command that ran in the name of a session's owner: the caller knows the session as OWNER/ID. */
export function nameShared<T>(answer: T, { owner, person }: Caller): T {
  if (person === undefined || !isRecord(answer)) return answer;
  const named = ["session_id", "agent_id"].flatMap((field) => {
    const id = answer[field];
    return typeof id === "string" ? [[field, `${owner}/${id}`]] : [];
  });
  return Object.assign({}, answer, Object.fromEntries(named));
}

/** The same for an error of such a command. */
export function nameRefused(error: unknown, { owner, person }: Caller): unknown {
  if (person === undefined || !(error instanceof BelayError)) return error;
  const { session_id: id } = error.details;
  // The check of the grant has named it already.
  if (typeof id !== "string" || ownerIn(id) !== null) return error;
  const { code, details, cause } = error;
  const message = error.message.startsWith(`${id} `) ? `${owner}/${error.message}` : error.message;
  return new BelayError(refuse(code, message, { ...details, session_id: `${owner}/${id}` }), cause);
}
