import type { Redactor } from "../../redaction/redactor.ts";

interface EventCaller {
  readonly actor: string;
  readonly trace_id: string | null;
}

/**
 * The actor and the trace id of an event without secrets. The name of an agent or a token may be a secret; the
 * kind before it is none, and "token:" would make every name look like one.
 */
export function redactCaller(redactor: Redactor, { actor, trace_id }: EventCaller): EventCaller {
  const start = actor.indexOf(":") + 1;
  return {
    actor: actor.slice(0, start) + redactor.text(actor.slice(start)),
    trace_id: trace_id === null ? null : redactor.text(trace_id),
  };
}
