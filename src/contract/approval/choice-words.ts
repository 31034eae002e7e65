import type { ChoiceKind } from "../vocabulary.ts";

/** The effect of each kind of option, for people. */
export const CHOICE_WORDS = {
  allow_once: "approves once",
  allow_always: "approves always",
  reject_once: "rejects",
  reject_always: "rejects always",
  other: "the agent does not say what it does",
} as const satisfies Record<ChoiceKind, string>;

/** The effect of a tool call with which an agent changes its mode. */
export const SWITCHES_MODE = "changes what the agent may do without asking";

/** Explains why a request with too many options can only be rejected. */
export function describeMissing(missing: number): string {
  const options = missing === 1 ? "1 more option" : `${missing} more options`;
  return `The agent offers ${options} than can be shown, so this request can only be rejected.`;
}
