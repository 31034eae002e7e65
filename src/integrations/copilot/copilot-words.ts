import { readInstant } from "../../contract/read-instant.ts";

const FAILED = new Set(["failed", "failure", "error", "terminated", "killed"]);
const INTERRUPTED = new Set(["interrupted", "cancelled", "canceled", "dropped", "aborted"]);

/** The failure that an agent reported; null if it did not. */
export function failureIn(
  fields: Readonly<Record<string, unknown>>,
): "failed" | "interrupted" | null {
  const words = [fields.status, fields.result, fields.outcome].map((word) =>
    String(word).toLowerCase(),
  );
  if (words.some((word) => INTERRUPTED.has(word))) return "interrupted";
  if (words.some((word) => FAILED.has(word))) return "failed";
  const { exit_code, success, error } = fields;
  if (success === false || (typeof error === "string" && error !== "")) return "failed";
  return typeof exit_code === "number" && exit_code !== 0 ? "failed" : null;
}

/** Parses ISO 8601, or seconds or milliseconds since 1970; null if it is not a time. */
export function readTime(text: string | null): number | null {
  if (text === null) return null;
  const number = Number(text);
  const at = Number.isFinite(number)
    ? number < SECONDS_BELOW
      ? number * 1000
      : number
    : readInstant(text);
  return Number.isFinite(at) && at > 0 && at < LATEST ? Math.trunc(at) : null;
}

const SECONDS_BELOW = 1e11;
const LATEST = 8.64e15;
