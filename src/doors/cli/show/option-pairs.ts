import {
  CHOICE_WORDS,
  describeMissing,
  SWITCHES_MODE,
} from "../../../contract/approval/choice-words.ts";
import type { Approval } from "../../../contract/session.ts";
import { visibleLine } from "../../../contract/visible-text.ts";
import { colors } from "../colors.ts";

/** The agent's options, each with the id that `--option` takes and in the agent's own words. */
export function optionPairs(value: Approval): (readonly [string, string])[] {
  const { action, choices, missing_choices } = value;
  const lines = choices.map(({ option_id, name, kind }) => {
    const does = colors.dim(`(${CHOICE_WORDS[kind]})`);
    return `${colors.cyan(visibleLine(option_id))}  ${visibleLine(name)} ${does}`;
  });
  const isOpen = value.answerable && value.decided === null;
  if (isOpen && choices.length > 0) lines.push(colors.dim("choose one with --option ID"));
  if (missing_choices > 0) lines.push(describeMissing(missing_choices));
  return [
    ...(action?.type === "switch_mode" ? [["effects", SWITCHES_MODE] as const] : []),
    ...lines.map((line, nth) => [nth === 0 ? "options" : "", line] as const),
  ];
}
