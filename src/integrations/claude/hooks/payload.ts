import { isRecord } from "../../../contract/is-record.ts";
import { scanJson } from "../../../service/scan-json.ts";

/** A payload is what another program says: only fields that are named here are read, and none is believed to be short. */
export type Payload = Readonly<Record<string, unknown>>;

/** A text that fits an event whatever JSON makes of its characters. */
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

/** A text of any length, cut to what can be kept. */
export function textIn(payload: Payload, field: string): string | null {
  const value = payload[field];
  if (typeof value !== "string") return null;
  if (value.length <= MOST_TEXT) return value.toWellFormed();
  return `${value.slice(0, MOST_TEXT)}… [cut]`.toWellFormed();
}

/** One line of text of at most this many bytes, in UTF-8 and as JSON alike; null for none, or for a longer one. */
export function nameIn(payload: Payload, field: string, bytes: number): string | null {
  const value = payload[field];
  if (typeof value !== "string" || value.trim() === "" || value.length > bytes) return null;
  if (!value.isWellFormed() || /\p{Cc}/u.test(value)) return null;
  return Buffer.byteLength(JSON.stringify(value)) - 2 <= bytes ? value : null;
}
