import { visibleCharacters } from "../../contract/visible-text.ts";

/**
 * What is written to a terminal, in whole: of all that a terminal obeys, only line breaks, tabs and Belay's own colours
 * are left. Fields are made visible where they are laid out; this holds for the one that was forgotten there.
 */
export function terminalText(text: string, color: boolean): string {
  if (!color) return visibleCharacters(text);
  return text
    .split(OWN_COLORS)
    .map((part, at) => (at % 2 === 1 ? part : visibleCharacters(part)))
    .join("");
}

const ESCAPE = "\u001b";
const OWN_COLORS = new RegExp(`(${ESCAPE}\\[(?:1|2|22|3[1-6]|39)m)`);
