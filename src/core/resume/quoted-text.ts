import { visibleText } from "../../contract/visible-text.ts";

/** About four plain characters to a token, and one for each other character. */
export function tokensOf(text: string): number {
  let tokens = 0;
  for (const character of text) tokens += character > "\u007f" ? 1 : 0.25;
  return tokens;
}

/** A shorter beginning tells nothing. */
const LEAST_TOKENS = 8;

/** The beginning of a text within a number of tokens; nothing where that would tell nothing. */
export function cut(text: string, tokens: number): string {
  if (tokens < LEAST_TOKENS) return "";
  let left = tokens;
  let end = 0;
  for (const character of text) {
    left -= tokensOf(character);
    if (left < 0) break;
    end += character.length;
  }
  return text.slice(0, end).trimEnd();
}

/** Each line marked, so that what is quoted cannot be taken for what is said around it. */
export function quote(text: string): string {
  const lines = visibleText(text).replaceAll("\t", "  ").trim().split("\n");
  return lines.map((line, at) => `> ${at === 0 ? "- " : "  "}${line.trimEnd()}`).join("\n");
}
