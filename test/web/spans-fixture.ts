import type { SessionSpans, Span } from "../../src/contract/past.ts";

/** Times are milliseconds since the epoch. */
export function span(
  kind: Span["kind"],
  seq: number,
  from: number,
  to: number | null,
  rest: Partial<Span> = {},
): Span {
  return {
    kind,
    name: `${kind} ${seq}`,
    status: null,
    effects: null,
    unknown: false,
    from: new Date(from).toISOString(),
    to: to === null ? null : new Date(to).toISOString(),
    seq,
    turn_id: null,
    action_id: null,
    ...rest,
  };
}

export function sessionOf(spans: Span[], rest: Partial<SessionSpans> = {}): SessionSpans {
  return {
    session_id: "some-session",
    entity_id: "e1",
    agent_name: "demo",
    title: null,
    status: "active",
    created_at: new Date(0).toISOString(),
    ended_at: null,
    version: 100,
    earlier: null,
    spans,
    ...rest,
  };
}
