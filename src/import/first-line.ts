import { visibleLine } from "../contract/visible-text.ts";

/** The default title of a conversation: the first line of its first prompt. */
export function firstLine(text: string | null): string | null {
  const line = text?.trim().split("\n", 1)[0] ?? "";
  return line === "" ? null : visibleLine(line);
}
