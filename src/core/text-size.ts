import { isRecord } from "../contract/is-record.ts";

/**
 * The size of a text in UTF-8, counted without encoding it, because a large text would be in memory
 * twice.
 */
export function textBytes(text: string): number {
  let bytes = text.length;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code < 0x80) continue;
    // Each half of a surrogate pair is one unit and two bytes; a half alone becomes U+FFFD, which
    // has three.
    if (code < 0x800 || isPaired(text, at, code)) bytes += 1;
    else bytes += 2;
  }
  return bytes;
}

function isPaired(text: string, at: number, code: number): boolean {
  if (code < 0xd800 || code > 0xdfff) return false;
  const other = code < 0xdc00 ? text.charCodeAt(at + 1) : text.charCodeAt(at - 1);
  return code < 0xdc00 ? other >= 0xdc00 && other <= 0xdfff : other >= 0xd800 && other < 0xdc00;
}

/** The size of a value as JSON; a value that JSON cannot express has size 0. */
export function jsonBytes(value: unknown): number {
  return textBytes(JSON.stringify(value) ?? "");
}

/** A size that a value has at most as JSON, found in a fraction of the time. */
export function mostJsonBytes(value: unknown): number {
  if (typeof value === "string") return 6 * value.length + 2;
  // The longest number has 25 characters.
  if (typeof value !== "object" || value === null) return 25;
  if ("toJSON" in value) return jsonBytes(value);
  let bytes = 2;
  if (Array.isArray(value)) {
    for (const member of value) bytes += mostJsonBytes(member) + 1;
    return bytes;
  }
  if (!isRecord(value)) return jsonBytes(value);
  // Object.entries would build an array for each member.
  for (const key in value) bytes += 6 * key.length + 4 + mostJsonBytes(value[key]);
  return bytes;
}

/**
 * The longest prefix of a text whose JSON form has at most `bytes`. It never splits a character.
 */
export function cutText(text: string, bytes: number): string {
  if (jsonBytes(text) - 2 <= bytes) return text;
  let kept = "";
  let size = 0;
  for (const character of text) {
    size += jsonBytes(character) - 2;
    if (size > bytes - 3) break;
    kept += character;
  }
  return `${kept}…`;
}
