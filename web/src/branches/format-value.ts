import { shortenText } from "../../../src/contract/visible-text.ts";

const CHARS = 300;

/** A value of metadata in one line; undefined: the key is not there. */
export function formatValue(value: unknown): string {
  if (value === undefined || value === null) return "none";
  return shortenText(typeof value === "string" ? value : JSON.stringify(value), CHARS);
}
