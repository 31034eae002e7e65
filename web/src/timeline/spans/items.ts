import type { SessionSpans, Span } from "../../../../src/contract/past.ts";
import { type Interval, subtract, unite } from "../time/stretches.ts";

/** A span to be drawn. */
export interface Item extends Interval {
  readonly key: string;
  readonly session_id: string;
  readonly span: Span;
  /** Infinity while it is under way; it is drawn up to the current time. */
  readonly to: number;
  /** For an action: the times at which it waited for an answer. */
  readonly waits: readonly Interval[];
}

export function itemsOf({ session_id, spans }: SessionSpans): readonly Item[] {
  const items = keySpans(spans).map(([key, span]) => {
    const from = Date.parse(span.from);
    const to = span.to === null ? Infinity : Math.max(from, Date.parse(span.to));
    return { key: `${session_id} ${key}`, session_id, span, from, to };
  });
  const approvals = Map.groupBy(
    items.filter(({ span }) => span.kind === "approval"),
    ({ span }) => span.action_id,
  );
  return items.map((item) => {
    const { kind, action_id } = item.span;
    const asked = kind === "action" && action_id !== null ? approvals.get(action_id) : undefined;
    return { ...item, waits: unite(asked ?? []) };
  });
}

/** The duration without the time of waiting for a person. */
export function tookOf({ from, to, waits }: Item, now: number): number {
  return subtract([{ from, to: Math.max(from, Math.min(to, now)) }], waits).reduce(
    (sum, one) => sum + one.to - one.from,
    0,
  );
}

/** A stable key for each span. Several items of an outside agent may come from one event. */
export function keySpans(spans: readonly Span[]): readonly (readonly [string, Span])[] {
  const alike = new Map<string, number>();
  return spans.map((span) => {
    const place = `${span.kind} ${span.seq}`;
    const nth = alike.get(place) ?? 0;
    alike.set(place, nth + 1);
    return [`${place} ${nth}`, span];
  });
}

/**
 * The busy times: turns and actions, except while they wait for a person, and every start and end. Items that an
 * inactive session left open are not under way.
 */
export function busyTimes(
  items: readonly Item[],
  { status }: Pick<SessionSpans, "status">,
  now: number,
): readonly Interval[] {
  const lastsUntil = (to: number, from: number): number =>
    to < Infinity ? to : status === "active" ? Math.max(from, now) : from;
  const work = items.filter(({ span: { kind } }) => kind === "turn" || kind === "action");
  const waits = items.filter(({ span: { kind } }) => kind === "approval");
  const worked = subtract(
    unite(work.map(({ from, to }) => ({ from, to: lastsUntil(to, from) }))),
    unite(waits.map(({ from, to }) => ({ from, to: Math.min(to, Math.max(from, now)) }))),
  );
  const moments = items.flatMap(({ from, to }) =>
    to < Infinity && to !== from
      ? [
          { from, to: from },
          { from: to, to },
        ]
      : [{ from, to: from }],
  );
  return unite([...worked, ...moments]);
}

/** From the first start to the last end; up to now if something is under way. */
export function wholeOf(items: readonly Item[], now: number): Interval {
  let from = Infinity;
  let to = -Infinity;
  for (const item of items) {
    from = Math.min(from, item.from);
    to = Math.max(to, item.to < Infinity ? item.to : Math.max(item.from, now));
  }
  if (from === Infinity) return { from: now - 1000, to: now };
  return to - from < 100 ? { from: from - 50, to: to + 50 } : { from, to };
}
