import { shortenText } from "../../contract/visible-text.ts";
/** At most `longest` characters of it: beginning and end, with a mark where something is missing. */
export function boundText(text: string, longest: number): string {
  if (text.length <= longest) return text;
  return copyOf(shortenText(text, longest));
}

/** The value itself when it is small as JSON; else an excerpt of its JSON. */
export function boundJson(value: unknown, longest: number): unknown {
  const json = JSON.stringify(value) ?? "null";
  return json.length <= longest ? value : boundText(json, longest);
}

/** A slice keeps the whole string that it was taken from in memory; a copy does not. */
function copyOf(slice: string): string {
  return Buffer.from(slice.toWellFormed()).toString();
}
