import { visibleText } from "../../contract/visible-text.ts";

/** Estimates tokens: four ASCII characters to a token, and one token for each other character. */
export function tokensOf(text: string): number {
  let tokens = 0;
  for (const character of text) tokens += character > "\u007f" ? 1 : 0.25;
  return tokens;
}

/** A shorter excerpt is useless. */
const LEAST_TOKENS = 8;

/** The start of a text, limited to a number of tokens; empty if the excerpt would be useless. */
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

/** Marks each line as a quote, so that a quoted text cannot pass for the text around it. */
export function quote(text: string): string {
  const lines = visibleText(text).replaceAll("\t", "  ").trim().split("\n");
  return lines.map((line, at) => `> ${at === 0 ? "- " : "  "}${line.trimEnd()}`).join("\n");
}
