import { type Refusal, refuse } from "../../contract/errors.ts";
import { LIMITS } from "../../contract/limits.ts";
import { type Append, type Idempotency, MAX_INDEXED_BYTES } from "../stream-store.ts";

/** What no index can hold, and bodies that are too large. */
export function refuseContent(
  appends: readonly Append[],
  bodies: readonly (readonly string[])[],
  idempotency: Idempotency | undefined,
): Refusal | undefined {
  for (const [index, append] of appends.entries()) {
    const refusal = refuseTexts(append) ?? refuseOversized(append, bodies[index] ?? []);
    if (refusal) return refusal;
  }
  if (!idempotency) return undefined;
  const { scope, key, digest } = idempotency;
  return refuseText(scope) ?? refuseText(key) ?? refuseText(digest);
}

function refuseTexts({ id, create, events, rows, names, listing }: Append): Refusal | undefined {
  const texts: (string | null)[] = create ? [id, create.owner, create.key] : [];
  for (const event of events) {
    texts.push(event.type, event.actor, event.interface, event.trace_id);
  }
  for (const { kind, key } of rows) texts.push(kind, key);
  texts.push(...names, listing.status, listing.phase, listing.agent);
  texts.push(listing.interface, listing.project, listing.task);
  for (const text of texts) {
    const refusal = text === null ? undefined : refuseText(text);
    if (refusal) return refusal;
  }
  return undefined;
}

function refuseText(text: string): Refusal | undefined {
  const problem = problemOf(text);
  if (problem === undefined) return undefined;
  return refuse("invalid_input", `a text that can be searched for ${problem}`, { text });
}

function problemOf(text: string): string | undefined {
  if (!text.isWellFormed()) return "has half of a character";
  if (text.includes("\0")) return "has a NUL";
  // Three bytes are the most that a unit of a text can take.
  const bytes = text.length * 3 > MAX_INDEXED_BYTES ? Buffer.byteLength(text) : 0;
  return bytes > MAX_INDEXED_BYTES ? `has ${bytes} bytes, ${MAX_INDEXED_BYTES} fit` : undefined;
}

function refuseOversized({ id, events }: Append, bodies: readonly string[]): Refusal | undefined {
  const limit = LIMITS.BODY_BYTES;
  for (const [index, body] of bodies.entries()) {
    const bytes = body.length * 3 > limit ? Buffer.byteLength(body) : 0;
    if (bytes <= limit) continue;
    const message = `the body of an event has ${bytes} bytes, ${limit} are allowed`;
    return refuse("too_large", message, { id, seq: events[index]?.seq, bytes, limit });
  }
  return undefined;
}
