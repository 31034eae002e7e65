import { visibleCharacters } from "../../contract/visible-text.ts";

/**
 * Makes a whole text safe for a terminal: only line breaks, tabs and Belay's own colors are left. Fields are made
 * visible where they are formatted; this catches any that was forgotten.
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
