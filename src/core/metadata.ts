import type { Refusal } from "../contract/errors.ts";
import { refuse } from "../contract/errors.ts";
import type { Held } from "../contract/head.ts";
import { LIMITS } from "../contract/limits.ts";
import { jsonBytes, textBytes } from "./text-size.ts";

type Metadata = Readonly<Record<string, Held>>;

/** Top-level keys replace. A large value stays in the event that set it; the head remembers where. */
export function mergeMetadata(
  held: Metadata,
  update: Readonly<Record<string, unknown>>,
  seq: number,
): Metadata {
  const merged = Object.entries(update).map(([key, value]): [string, Held] => [
    key,
    jsonBytes(value) <= LIMITS.METADATA_INLINE ? { value } : { seq },
  ]);
  return { ...held, ...Object.fromEntries(merged) };
}

export function refuseMetadata(
  held: Metadata,
  update: Readonly<Record<string, unknown>>,
): Refusal | null {
  for (const key of Object.keys(update)) {
    if (key === "__proto__") {
      return refuse("invalid_input", 'metadata cannot have a key "__proto__"', { field: key });
    }
    if (textBytes(key) > LIMITS.METADATA_KEY) {
      return refuse("too_large", `a metadata key is longer than ${LIMITS.METADATA_KEY} bytes`, {
        field: key.slice(0, LIMITS.METADATA_KEY),
        limit: LIMITS.METADATA_KEY,
      });
    }
  }
  const size = jsonBytes(mergeMetadata(held, update, Number.MAX_SAFE_INTEGER));
  if (size <= LIMITS.METADATA_HEAD) return null;
  return refuse(
    "limit_reached",
    "this session has too many metadata keys: group them under one key, or save a checkpoint",
    { limit: LIMITS.METADATA_HEAD, size },
  );
}
