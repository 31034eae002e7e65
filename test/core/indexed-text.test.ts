import { describe, expect, it } from "vitest";
import type { SessionCommand } from "../../src/contract/commands.ts";
import { validateObservation } from "../../src/core/observation/validate-observation.ts";
import { COMPLETE } from "./document-payload.ts";
import { EXAMPLE } from "./example-command.ts";
import { sessionIn } from "./session-in.ts";
import { perform } from "./session-log.ts";

// Stores index texts of at most 512 bytes, well-formed and without NUL, and refuse a commit with any other.

const AWKWARD = {
  "very long": "x".repeat(600),
  "long in bytes": "語".repeat(200),
  "with NUL": "a\0b",
  "half a character": "a\ud800",
};

/** The awkward texts for which a command is accepted although no store would commit it. */
function refusedByStores(make: (text: string) => SessionCommand | null): string[] {
  return Object.entries(AWKWARD).flatMap(([how, text]) => {
    const command = make(text);
    const next = command && perform(sessionIn("active"), command);
    if (!next || "error" in next) return [];
    const indexed = [...next.rows.flatMap((row) => row.key ?? []), ...next.names];
    return indexed.every(canBeIndexed) ? [] : [how];
  });
}

function canBeIndexed(text: string): boolean {
  return Buffer.byteLength(text) <= 512 && !text.includes("\0") && text.isWellFormed();
}

/** The command of a payload that is not rejected. */
function observe(part: object): SessionCommand | null {
  const checked = validateObservation({ ...COMPLETE, ...part });
  return "error" in checked ? null : { type: "observe", observation: checked.observation };
}

describe("a name that a store cannot index is refused", () => {
  const timestamp = COMPLETE.started_at;

  it.each<[string, (text: string) => SessionCommand | null]>([
    [
      "an entity in the details of an action",
      (text) => ({ ...EXAMPLE.begin_action, details: { order: { customer_id: text } } }),
    ],
    [
      "an entity in the state of a checkpoint",
      (text) => ({ ...EXAMPLE.save_checkpoint, state: { customer_id: text } }),
    ],
    ["the id of an outcome", (text) => ({ ...EXAMPLE.record_outcome, id: text })],
    [
      "the type of an observed action",
      (text) => observe({ actions: [{ type: text, result: "success" }] }),
    ],
    [
      "an entity in the details of an observed action",
      (text) => observe({ actions: [{ type: "a", result: "b", details: { unit_id: text } }] }),
    ],
    [
      "the name of an observed checkpoint",
      (text) => observe({ checkpoints: [{ name: text, timestamp }] }),
    ],
    ["the type of an observed outcome", (text) => observe({ outcomes: [{ type: text }] })],
    ["the id of an observed outcome", (text) => observe({ outcomes: [{ type: "a", id: text }] })],
  ])("%s", (_, make) => {
    expect(refusedByStores(make)).toEqual([]);
  });
});
