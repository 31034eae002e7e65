import type { NewDecision } from "../../contract/approval/decided.ts";

/** A decision as a text for an agent, which is quoted. */
export function describeDecision(of: NewDecision): string {
  const { decision, always, by, interface: door, decided_at, kind, title, note } = of;
  const what = `${decision}${always ? " always" : ""}`;
  const text = `${what} by ${by} through ${door} at ${decided_at}: ${kind}: ${title}`;
  return note === null || note === "" ? text : `${text}\nnote: ${note}`;
}
