import type { Output } from "../../../../src/contract/operations.ts";
import type { SessionSpans, Span } from "../../../../src/contract/past.ts";
import { keySpans } from "./items.ts";

/** The known sessions of a picture by id, from all answers so far. */
export type Gathered = ReadonlyMap<string, SessionSpans>;

/**
 * Adds an answer. A page has the newest items of each kind, so items that are no longer on it stay as last known; an
 * answer with `before` only adds earlier items.
 */
export function gatherSpans(
  known: Gathered,
  answer: Output<"spans">,
  of: "newest" | "earlier",
): Gathered {
  const next = new Map(of === "newest" ? [] : known);
  for (const session of answer.sessions) {
    const before = known.get(session.session_id);
    if (!before) next.set(session.session_id, session);
    else if (of === "earlier") {
      next.set(session.session_id, {
        ...before,
        earlier: session.earlier,
        spans: join(session.spans, before.spans),
      });
    } else next.set(session.session_id, renew(before, session));
  }
  return next;
}

function renew(before: SessionSpans, now: SessionSpans): SessionSpans {
  if (now.earlier === null) return now;
  const begin = now.earlier;
  const past = before.spans.filter(({ seq }) => seq < begin);
  // A reader who has loaded more keeps it, and continues from there.
  const reached = before.earlier === null || before.earlier < begin ? before.earlier : begin;
  return { ...now, earlier: reached, spans: join(past, now.spans) };
}

/** The second list wins for items that are in both. */
function join(some: readonly Span[], others: readonly Span[]): Span[] {
  const all = new Map([...keySpans(some), ...keySpans(others)]);
  return [...all.values()].sort((a, b) => compare(a.from, b.from) || a.seq - b.seq);
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
