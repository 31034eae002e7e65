import { type Refusal, refuse } from "../../contract/errors.ts";
import { LIMITS } from "../../contract/limits.ts";
import { type Append, type Idempotency, MAX_INDEXED_BYTES } from "../stream-store.ts";

/** What a database could not hold, memory does not hold either. */
export function refuseContent(
  appends: readonly Append[],
  idempotency: Idempotency | undefined,
): Refusal | undefined {
  for (const append of appends) {
    const refusal = refuseTexts(indexedTexts(append)) ?? refuseOversized(append);
    if (refusal) return refusal;
  }
  return idempotency && refuseTexts([idempotency.scope, idempotency.key, idempotency.digest]);
}

function indexedTexts({ create, events, rows, names, listing }: Append): (string | null)[] {
  const { status, phase, agent, project, task } = listing;
  return [
    ...(create ? [create.owner, create.key] : []),
    ...events.flatMap((event) => [event.type, event.actor, event.interface, event.trace_id]),
    ...rows.flatMap(({ kind, key }) => [kind, key]),
    ...names,
    ...[status, phase, agent, listing.interface, project, task],
  ];
}

function refuseTexts(texts: readonly (string | null)[]): Refusal | undefined {
  for (const text of texts) {
    const problem = text === null ? undefined : problemOf(text);
    if (problem) return refuse("invalid_input", `a text that can be searched for ${problem}`);
  }
  return undefined;
}

function problemOf(text: string): string | undefined {
  if (!text.isWellFormed()) return "has half of a character";
  if (text.includes("\0")) return "has a NUL";
  const bytes = Buffer.byteLength(text);
  return bytes > MAX_INDEXED_BYTES ? `has ${bytes} bytes, ${MAX_INDEXED_BYTES} fit` : undefined;
}

function refuseOversized({ id, events }: Append): Refusal | undefined {
  const limit = LIMITS.BODY_BYTES;
  for (const { seq, data } of events) {
    const bytes = Buffer.byteLength(JSON.stringify(data));
    if (bytes <= limit) continue;
    const message = `the body of an event has ${bytes} bytes, ${limit} are allowed`;
    return refuse("too_large", message, { id, seq, bytes, limit });
  }
  return undefined;
}
