import { CONTROL_CHARACTERS } from "../../../contract/id-pattern.ts";
import { isRecord } from "../../../contract/is-record.ts";
import { shortenText } from "../../../contract/visible-text.ts";
import { scanJson } from "../../../service/scan-json.ts";

/** A payload comes from another program: only fields named here are read, and their size is never trusted. */
export type Payload = Readonly<Record<string, unknown>>;

/** The longest text that fits into an event, whatever its characters become in JSON. */
const MOST_TEXT = 600_000;

export class BadPayload extends Error {}

export function parsePayload(text: string): Payload {
  const fault = scanJson(text);
  if (fault) {
    const message = `the payload is not JSON that can be read: ${fault.message}, at position ${fault.position}`;
    throw new BadPayload(message);
  }
  const value: unknown = JSON.parse(text);
  if (isRecord(value)) return value;
  throw new BadPayload("the payload is not a JSON object");
}

/** A text of any length, shortened to the limit, with the mark that redaction knows. */
export function textIn(payload: Payload, field: string): string | null {
  const value = payload[field];
  if (typeof value !== "string") return null;
  return shortenText(value, MOST_TEXT).toWellFormed();
}

/** One line of text of at most this many bytes, in UTF-8 and as JSON; null if there is none or it is longer. */
export function nameIn(payload: Payload, field: string, bytes: number): string | null {
  const value = payload[field];
  if (typeof value !== "string" || value.trim() === "" || value.length > bytes) return null;
  if (!value.isWellFormed() || CONTROL_CHARACTERS.test(value)) return null;
  return Buffer.byteLength(JSON.stringify(value)) - 2 <= bytes ? value : null;
}
