import { shortenText } from "../../contract/visible-text.ts";
/** At most `longest` characters: start and end, with a mark for the missing part. */
export function boundText(text: string, longest: number): string {
  if (text.length <= longest) return text;
  return copyOf(shortenText(text, longest));
}

/** The value itself if its JSON is short; otherwise an excerpt of its JSON. */
export function boundJson(value: unknown, longest: number): unknown {
  const json = JSON.stringify(value) ?? "null";
  return json.length <= longest ? value : boundText(json, longest);
}

/** A slice keeps the whole original string in memory; a copy does not. */
function copyOf(slice: string): string {
  return Buffer.from(slice.toWellFormed()).toString();
}
