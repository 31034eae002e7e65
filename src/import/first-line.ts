import { visibleLine } from "../contract/visible-text.ts";

/** What a conversation is called that has no name: the first line of what was asked first. */
export function firstLine(text: string | null): string | null {
  const line = text?.trim().split("\n", 1)[0] ?? "";
  return line === "" ? null : visibleLine(line);
}
