import type { ApprovalChoice } from "../../contract/approval/approval-choice.ts";
import type { AskedOptions } from "../../contract/approval/asked-options.ts";
import { describeMissing } from "../../contract/approval/choice-words.ts";
import { type Refusal, refuse } from "../../contract/errors.ts";
import type { ApprovalDecision, ChoiceKind } from "../../contract/vocabulary.ts";

/** An answer as a person gives it: an option, a decision, or both. */
interface GivenAnswer {
  readonly option?: string | undefined;
  readonly decision?: ApprovalDecision | undefined;
  readonly always?: boolean | undefined;
}

/** The same with the option that the agent gets; null if it gets none. */
interface ChosenAnswer {
  readonly decision: ApprovalDecision;
  readonly always: boolean;
  readonly choice: ApprovalChoice | null;
}

/**
 * Finds the option that an answer means. Approving never guesses: without an option, exactly one must fit. Rejecting
 * without an option always works.
 */
export function chooseOption(
  given: GivenAnswer,
  asked: AskedOptions | undefined,
): ChosenAnswer | Refusal {
  const { decision, option, always = false } = given;
  const choices = asked?.choices;
  if (option !== undefined) {
    const chosen = chooseNamed(option, given, choices ?? []);
    const isApproval = "decision" in chosen && chosen.decision === "approved";
    return (isApproval && refuseApproval(asked)) || chosen;
  }
  if (decision === undefined) {
    const message = `The answer is required: set "decision" or "option".`;
    return refuse("invalid_input", message, { field: "decision" });
  }
  const refused = decision === "approved" ? refuseApproval(asked) : null;
  if (refused) return refused;
  if (choices === undefined) return { decision, always, choice: null };
  const ofKind = (kind: ChoiceKind) => choices.filter((choice) => choice.kind === kind);
  if (decision === "rejected") {
    const [choice = null] = [...(always ? ofKind("reject_always") : []), ...ofKind("reject_once")];
    return answerOf(choice, decision);
  }
  const fitting = ofKind(always ? "allow_always" : "allow_once");
  const [only, second] = fitting;
  if (only && !second) return answerOf(only, decision);
  const many = second ? `${fitting.length} options` : "no option";
  const message = `The agent offers ${many} to approve ${always ? "always" : "once"}. ${oneOf(choices)}`;
  return refuseAnswer(message, choices);
}

/** A permission without options, or with more than are stored, can only be rejected. */
function refuseApproval(asked: AskedOptions | undefined): Refusal | null {
  if (asked?.kind !== "permission") return null;
  const { choices = [], options = [], missing_choices = 0 } = asked;
  // Older versions have only stored the kinds of options.
  if (choices.length === 0 && options.length === 0) {
    const message = "The agent offers no options, so this request can only be rejected.";
    return refuseAnswer(message, choices);
  }
  return missing_choices === 0 ? null : refuseAnswer(describeMissing(missing_choices), choices);
}

/** An id counts before a name. A choice that neither approves nor rejects has no name that counts. */
function chooseNamed(
  option: string,
  { decision, always }: GivenAnswer,
  choices: readonly ApprovalChoice[],
): ChosenAnswer | Refusal {
  const named = choices.filter(({ name, kind }) => name === option && kind !== "other");
  const byName = named.length === 1 ? named[0] : undefined;
  const choice = choices.find(({ option_id }) => option_id === option) ?? byName;
  if (!choice) {
    if (choices.length === 0) return refuseAnswer("This question has no options.", choices);
    const why = named.length > 1 ? "is the name of several options" : "was not offered";
    return refuseAnswer(`${JSON.stringify(option)} ${why}. ${oneOf(choices)}`, choices);
  }
  const answer = answerOf(choice, isRejecting(choice.kind) ? "rejected" : "approved");
  if (decision !== undefined && decision !== answer.decision) {
    const is = answer.decision === "rejected" ? "rejects" : "does not reject";
    return refuseAnswer(`The option "${choice.name}" ${is}. Choose another one.`, choices);
  }
  if (always === true && !answer.always) {
    const message = `The option "${choice.name}" answers only this request. Leave out "always", or choose another one.`;
    return refuseAnswer(message, choices);
  }
  return answer;
}

function answerOf(choice: ApprovalChoice | null, decision: ApprovalDecision): ChosenAnswer {
  return { decision, always: choice !== null && isAlways(choice.kind), choice };
}

function refuseAnswer(message: string, choices: readonly ApprovalChoice[]): Refusal {
  return refuse("invalid_input", message, { field: "option", choices });
}

function oneOf(choices: readonly ApprovalChoice[]): string {
  const listed = choices.map(({ option_id, name }) =>
    name === option_id ? option_id : `${option_id} (${name})`,
  );
  return `Set "option" to one of: ${listed.join(", ")}.`;
}

export function isRejecting(kind: ChoiceKind): boolean {
  return kind === "reject_once" || kind === "reject_always";
}

export function isAlways(kind: ChoiceKind): boolean {
  return kind === "allow_always" || kind === "reject_always";
}

/**
 * True for an answer that only the owner of a session may give: one for later requests too, one whose meaning is not
 * known, and one that changes what the agent may do without asking.
 */
export function isReserved(
  { decision, always, choice }: ChosenAnswer,
  switches_mode: boolean,
): boolean {
  return always || choice?.kind === "other" || (switches_mode && decision === "approved");
}

/** The agent's kind of a tool call that changes what it may do without asking. */
const SWITCH_MODE = "switch_mode";

/** True if a permission lets the agent change its mode: by the call's kind, or as the title of the question says. */
export function switchesMode(title: string, tool: unknown): boolean {
  return tool === SWITCH_MODE || title.startsWith(`${SWITCH_MODE}: `);
}
