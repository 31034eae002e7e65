import { z } from "zod";
import type { ErrorCode } from "../errors.ts";
import { IdempotencyKey, SessionRef } from "../ids.ts";
import { LIMITS } from "../limits.ts";
import { SPAN_PATTERN } from "../read-instant.ts";
import type { Scope } from "../vocabulary.ts";

/** The description of an operation. */
export interface Operation {
  /** A query changes nothing; a command appends to a log. */
  readonly kind: "query" | "command";
  /** The scope that a token needs. */
  readonly scope: Scope;
  readonly doc: string;
  readonly input: z.ZodObject;
  readonly output: z.ZodType;
  readonly errors: readonly ErrorCode[];
  /** True if this input ends, removes or withdraws something: then the ids of sessions must be whole. */
  closes?(input: Readonly<Record<string, unknown>>): boolean;
}
/** For an operation that does so with any input. */
export const closes = (): boolean => true;
export type Operations = Readonly<Record<string, Operation>>;

export const Json = z.record(z.string(), z.unknown());
export const Limit = z
  .number()
  .int()
  .min(1)
  .max(LIMITS.PAGE.max)
  .default(LIMITS.PAGE.default)
  .describe("entries per page");
export const Cursor = z.string().optional().describe("next_cursor of the previous page");
const ZONE_RULE = "ISO 8601; UTC unless it has a time zone";
export const Time = z.iso.datetime({ offset: true, local: true }).or(z.iso.date());
/** An optional time, described with the rule for time zones. */
export const timeField = (what?: string) =>
  Time.optional().describe(what === undefined ? ZONE_RULE : `${what} (${ZONE_RULE})`);
const UNTIL_RULE = "must be a time such as 2026-01-31, or a span from now such as 12h, 7d or 4w";
/** The end of something: a time, or a span from now. */
export const untilField = (what: string) =>
  z
    .union([...Time.options, z.string().regex(SPAN_PATTERN)], { error: UNTIL_RULE })
    .optional()
    .describe(`${what} (a span from now, such as 12h, 7d or 4w; or ${ZONE_RULE})`);
export const Retry = {
  idempotency_key: IdempotencyKey.optional().describe(
    "a request that is repeated with the same key runs only once",
  ),
};
export const One = { id: SessionRef };
export const Changed = {
  ...One,
  ...Retry,
  expected_version: z
    .number()
    .int()
    .min(1)
    .optional()
    .describe("fail unless the session has this version"),
};

export const CLOSED = [
  "session_completed",
  "session_failed",
  "session_cancelled",
  "session_archived",
  "session_deleted",
] as const;
export const FOUND = ["invalid_id", "ambiguous_id", "session_not_found"] as const;
export const CHANGES = [...FOUND, "version_conflict", "idempotency_conflict"] as const;
