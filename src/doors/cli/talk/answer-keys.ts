import type { RunEvent } from "../../../contract/run-event.ts";
import type { ChoiceKind } from "../../../contract/vocabulary.ts";
import type { GivenAnswer } from "./terminal-conversation.ts";

type Offered = Pick<
  Extract<RunEvent, { readonly type: "permission" }>,
  "options" | "choices" | "missing_choices"
>;

const NUMBERS = 9;

/** The keys that answer a question. A key that is not a number must mean one option. */
export function answerKeys(
  asked: { readonly kind: string } & Partial<Offered>,
): ReadonlyMap<string, GivenAnswer> {
  const { kind, options = [], choices = [], missing_choices = 0 } = asked;
  const isOffered = kind !== "permission" || options.length > 0 || choices.length > 0;
  const canApprove = isOffered && missing_choices === 0;
  const isOne = (wanted: ChoiceKind) => choices.filter((one) => one.kind === wanted).length === 1;
  const keys = new Map<string, GivenAnswer>();
  for (const [nth, choice] of choices.slice(0, NUMBERS).entries()) {
    const isRejection = choice.kind === "reject_once" || choice.kind === "reject_always";
    if (canApprove || isRejection) keys.set(String(nth + 1), { option: choice.option_id });
  }
  if (canApprove && (choices.length === 0 || isOne("allow_once"))) {
    keys.set("y", { decision: "approved" });
  }
  const isAlways = choices.length === 0 ? options.includes("allow_always") : isOne("allow_always");
  if (canApprove && isAlways) keys.set("a", { decision: "approved", always: true });
  return keys.set("n", { decision: "rejected" });
}
