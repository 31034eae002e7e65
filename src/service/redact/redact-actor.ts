import type { Redactor } from "../../redaction/redactor.ts";

/**
 * The actor of an event without secrets. The name of an agent or a token may be a secret; the kind before it is none, and
 * "token:" would make every name look like one.
 */
export function redactActor(redactor: Redactor, actor: string): string {
  const start = actor.indexOf(":") + 1;
  return actor.slice(0, start) + redactor.text(actor.slice(start));
}
