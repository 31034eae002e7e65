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
