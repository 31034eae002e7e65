import { scanJson } from "../../service/scan-json.ts";

/** Finds the position where a text stops being JSON, because `JSON.parse` does not always report it. */
export function findJsonError(text: string): { line: number; column: number } {
  const before = text.slice(0, scanJson(text)?.position ?? text.length).split("\n");
  return { line: before.length, column: (before.at(-1) ?? "").length + 1 };
}
