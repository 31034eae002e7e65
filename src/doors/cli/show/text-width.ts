import { eastAsianWidth } from "get-east-asian-width";

/**
 * The number of terminal columns of a text. The parts of a joined emoji count separately, because not every terminal
 * joins them: a line that is too short is harmless, one that wraps is not.
 */
export function textWidth(text: string): number {
  if (/^[ -~]*$/.test(text)) return text.length;
  let width = 0;
  for (const character of text) width += characterWidth(character);
  return width;
}

function characterWidth(character: string): number {
  // U+FE0F draws the previous character as an emoji, two columns wide.
  if (character === "\ufe0f") return 1;
  if (/[\p{Mn}\p{Me}\u200d]/u.test(character)) return 0;
  if (/\p{Emoji_Presentation}/u.test(character)) return 2;
  return eastAsianWidth(character.codePointAt(0) ?? 0);
}
