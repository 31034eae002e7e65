import { eastAsianWidth } from "get-east-asian-width";

/**
 * Columns that a text takes on a terminal. Parts of a joined emoji count each, because not every terminal joins them: a
 * line that is too short does no harm, one that wraps does.
 */
export function textWidth(text: string): number {
  if (/^[ -~]*$/.test(text)) return text.length;
  let width = 0;
  for (const character of text) width += characterWidth(character);
  return width;
}

function characterWidth(character: string): number {
  // U+FE0F draws the character before it as an emoji, two columns wide.
  if (character === "\ufe0f") return 1;
  if (/[\p{Mn}\p{Me}\u200d]/u.test(character)) return 0;
  if (/\p{Emoji_Presentation}/u.test(character)) return 2;
  return eastAsianWidth(character.codePointAt(0) ?? 0);
}
