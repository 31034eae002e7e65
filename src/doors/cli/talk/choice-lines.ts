import { CHOICE_WORDS, describeMissing } from "../../../contract/approval/choice-words.ts";
import type { RunEvent } from "../../../contract/run-event.ts";
import { visibleLine } from "../../../contract/visible-text.ts";
import { answerKeys } from "./answer-keys.ts";
import type { Paint } from "./run-view-lines.ts";

/** The agent's options in its own words, numbered; a number is bold if its key answers. */
export function choiceLines(
  asked: Extract<RunEvent, { readonly type: "permission" }>,
  answers: boolean,
  paint: Paint,
): string {
  const { choices, missing_choices } = asked;
  const keys = answerKeys(asked);
  const lines = choices.map(({ name, kind }, nth) => {
    const number = String(nth + 1);
    const shown = answers && keys.has(number) ? paint.bold(number) : number;
    return `  ${shown} ${visibleLine(name)} ${paint.dim(`(${CHOICE_WORDS[kind]})`)}\n`;
  });
  return lines.join("") + (missing_choices > 0 ? `  ${describeMissing(missing_choices)}\n` : "");
}
