import { isRecord } from "../contract/is-record.ts";
import { readInstant } from "../contract/read-instant.ts";

/** Reads values from other tools' records, which may be anything. */

export function textIn(value: unknown): string | null {
  return typeof value === "string" && value !== "" ? value.toWellFormed() : null;
}

export function listIn(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

export function recordIn(value: unknown): Readonly<Record<string, unknown>> {
  return isRecord(value) ? value : {};
}

export function countIn(value: unknown): number {
  return typeof value === "number" && Number.isFinite(value) && value > 0 ? value : 0;
}

/** Parses a tool's time, written as text, seconds or milliseconds, to milliseconds. */
export function timeIn(value: unknown): number | null {
  if (typeof value === "number") {
    if (!Number.isFinite(value) || value <= 0) return null;
    return Math.round(value < LAST_SECOND ? value * 1000 : value);
  }
  const at = typeof value === "string" ? readInstant(value) : Number.NaN;
  return Number.isNaN(at) ? null : at;
}

/** Every time since 1973 is larger in milliseconds, and every time until 5138 smaller in seconds. */
const LAST_SECOND = 100_000_000_000;

/** The text of content that is a text, or a list of blocks with texts. */
export function plainText(content: unknown): string {
  if (typeof content === "string") return content.toWellFormed();
  return listIn(content)
    .flatMap((block) => {
      if (typeof block === "string") return [block];
      const { type, text } = recordIn(block);
      if (typeof text === "string") return [text];
      return typeof type === "string" ? [`[${type}]`] : [];
    })
    .join("\n")
    .toWellFormed();
}
