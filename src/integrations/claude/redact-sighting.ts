import type { Seen, Sighting } from "../../core/observation/sighting.ts";
import type { StoredRedaction } from "../../redaction/stored-redaction.ts";

/** A sighting without the secrets in its texts, as a store that replaces secrets would record it. Ids stay. */
export function redactSighting(redaction: StoredRedaction, sighting: Sighting): Sighting {
  const { begin, seen } = sighting;
  return {
    ...sighting,
    begin: begin && { ...begin, metadata: redaction.value(begin.metadata) },
    seen: redactSeen(redaction, seen),
  };
}

function redactSeen(redaction: StoredRedaction, seen: Seen): Seen {
  switch (seen.kind) {
    case "prompted":
      return { ...seen, content: redaction.value(seen.content) };
    case "answered":
      return { ...seen, output: redaction.text(seen.output) };
    case "returned": {
      const { output, summary, error, reason } = seen;
      return { ...seen, ...redaction.value({ output, summary, error, reason }) };
    }
    case "compacting":
      return { ...seen, trigger: redaction.text(seen.trigger) };
    case "left":
      return { ...seen, reason: redaction.text(seen.reason) };
    case "opened":
    case "delegated":
      return seen;
  }
}
