import { isRecord } from "../contract/is-record.ts";
import { visibleLine } from "../contract/visible-text.ts";
import type { Effects } from "../contract/vocabulary.ts";

/** The kind of a tool, in the words of the Agent Client Protocol. */
const KINDS: readonly (readonly [RegExp, string, Effects])[] = [
  [/bash|shell|exec|terminal|command|run_/i, "execute", "unknown"],
  [/edit|write|patch|replace|notebook|create_file/i, "edit", "local"],
  [/grep|glob|search|find|list|^ls$/i, "search", "none"],
  [/fetch|http|browse|web/i, "fetch", "unknown"],
  [/read|view|cat|open/i, "read", "none"],
  [/think|plan|todo/i, "think", "none"],
];

export function toolKind(name: string): { readonly kind: string; readonly effects: Effects } {
  const [, kind = "other", effects = "unknown"] = KINDS.find(([test]) => test.test(name)) ?? [];
  return { kind, effects };
}

const TITLE_FIELDS = [
  ...["command", "cmd", "file_path", "path", "absolute_path", "filePath", "pattern", "query"],
  ...["url", "description", "prompt"],
] as const;

/** A call in one line. */
export function toolTitle(name: string, input: unknown): string {
  const fields = isRecord(input) ? input : {};
  const found = TITLE_FIELDS.map((key) => fields[key]).find((value) => value !== undefined);
  const words = Array.isArray(found) ? found.join(" ") : found;
  const text = typeof words === "string" ? `${name}: ${words}` : name;
  return visibleLine(text.slice(0, 20 * LONGEST).split("\n", 1)[0] ?? name)
    .slice(0, LONGEST)
    .toWellFormed();
}

const LONGEST = 200;
