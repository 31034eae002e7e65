import type { Refusal } from "../../contract/errors.ts";
import { refuse } from "../../contract/errors.ts";
import type { Held, SessionHead } from "../../contract/head.ts";
import { LIMITS } from "../../contract/limits.ts";
import { jsonBytes, textBytes } from "../text-size.ts";
import type { Verdict } from "./decision.ts";

type Metadata = Readonly<Record<string, Held>>;
type Update = Readonly<Record<string, unknown>>;

/**
 * The row for metadata keys that do not fit into the head. Each change of such a key replaces the
 * row.
 */
export const METADATA_ROW = "metadata";

/** The core reads these keys, so they always stay in the head. */
const STAYS_IN_HEAD: ReadonlySet<string> = new Set(["batch", "claude_session_id"]);

/**
 * Keys that Belay sets itself. They do not count towards the limit, so that a user's keys never
 * block recording.
 */
const OURS: ReadonlySet<string> = new Set(["late", "next_immediate_step"]);

/**
 * Replaces top-level keys. A large value stays in the event that set it, and the head stores where.
 */
export function mergeMetadata(
  held: Metadata,
  update: Update,
  seq: number,
  beside: readonly string[] = [],
): Metadata {
  const merged = { ...held, ...Object.fromEntries(holdAll(update, seq)) };
  return beside.length === 0
    ? merged
    : Object.fromEntries(Object.entries(merged).filter(([key]) => !beside.includes(key)));
}

/**
 * The row after an update that stores keys outside the head. Keys that the update does not set come
 * from the head.
 */
export function mergeRow(
  row: Readonly<Record<string, unknown>>,
  held: Metadata,
  update: Update,
  seq: number,
  beside: readonly string[],
): Readonly<Record<string, unknown>> {
  const all = { ...held, ...Object.fromEntries(holdAll(update, seq)) };
  return { ...row, ...Object.fromEntries(beside.map((key) => [key, all[key]])) };
}

function holdAll(update: Update, seq: number): [string, Held][] {
  return Object.entries(update).map(([key, value]) => [
    key,
    jsonBytes(value) <= LIMITS.METADATA_INLINE ? { value } : { seq },
  ]);
}

/**
 * The keys that are stored outside the head after an update. `row` is the current row; a caller
 * that has not read it can only use the space in the head.
 */
export function placeMetadata(
  head: Pick<SessionHead, "metadata" | "metadata_row"> | null,
  update: Update,
  row: Readonly<Record<string, unknown>> | undefined,
): readonly string[] | Refusal {
  const invalid = refuseKeys(update);
  if (invalid) return invalid;
  const held = head?.metadata ?? {};
  const known = row ?? {};
  const used = countedKeys(held, known);
  const all = countedKeys(held, known, update);
  if (all.size > used.size && all.size > LIMITS.METADATA_KEYS) {
    return refuseFull(
      `The metadata would have ${all.size} keys; ${LIMITS.METADATA_KEYS} are allowed`,
      {
        limit: LIMITS.METADATA_KEYS,
        used: used.size,
        added: all.size - used.size,
      },
    );
  }
  const beside = Object.keys(update).filter(
    (key) => Object.hasOwn(known, key) && !Object.hasOwn(held, key),
  );
  const merged = mergeMetadata(held, update, Number.MAX_SAFE_INTEGER, beside);
  let size = jsonBytes(merged);
  if (size > LIMITS.METADATA_HEAD && row === undefined && head?.metadata_row !== undefined) {
    return refuseFull(
      `The metadata would have ${size} bytes; ${LIMITS.METADATA_HEAD} are allowed`,
      {
        limit: LIMITS.METADATA_HEAD,
        size,
      },
    );
  }
  // The newest keys move out first, so that existing ones stay where they are.
  for (const key of Object.keys(merged).reverse()) {
    if (STAYS_IN_HEAD.has(key)) continue;
    if (size <= LIMITS.METADATA_HEAD) break;
    beside.push(key);
    size -= jsonBytes({ [key]: merged[key] }) - 1;
  }
  return beside;
}

function countedKeys(...parts: readonly Update[]): ReadonlySet<string> {
  return new Set(parts.flatMap((part) => Object.keys(part).filter((key) => !OURS.has(key))));
}

/** Adds the names of the keys outside the head to the facts, if there are any. */
export function withPlaces(
  beside: readonly string[] | Refusal,
  facts: (data: { readonly beside?: string[] }) => Verdict,
): Verdict {
  if ("error" in beside) return beside;
  return facts(beside.length === 0 ? {} : { beside: [...beside] });
}

function refuseFull(what: string, details: Readonly<Record<string, number>>): Refusal {
  return refuse(
    "limit_reached",
    `${what}. Group values under one key, or save a checkpoint.`,
    details,
  );
}

function refuseKeys(update: Update): Refusal | null {
  for (const key of Object.keys(update)) {
    if (key === "__proto__") {
      return refuse("invalid_input", 'Metadata cannot have a key "__proto__".', { field: key });
    }
    if (textBytes(key) > LIMITS.METADATA_KEY) {
      return refuse("too_large", `A metadata key must have at most ${LIMITS.METADATA_KEY} bytes.`, {
        field: key.slice(0, LIMITS.METADATA_KEY),
        limit: LIMITS.METADATA_KEY,
      });
    }
  }
  return null;
}
