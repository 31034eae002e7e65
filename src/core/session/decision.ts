import type { Refusal } from "../../contract/errors.ts";
import { refuse } from "../../contract/errors.ts";
import type { SessionFact } from "../../contract/events.ts";
import type { SessionHead } from "../../contract/head.ts";
import type { Phase } from "../../contract/vocabulary.ts";
import { jsonBytes } from "../text-size.ts";

/**
 * The caller and the time. `lease` is the lease in the store, `epoch` the one that the caller
 * believes to hold.
 */
export interface DecisionContext {
  readonly now: number;
  readonly lease: {
    readonly epoch: number;
    readonly live: boolean;
    readonly holder: { readonly name: string };
  } | null;
  readonly epoch: number | null;
}

export type Verdict = readonly SessionFact[] | Refusal;

export function isRefusal<T extends object>(verdict: T | Refusal): verdict is Refusal {
  return "error" in verdict;
}

export function changePhase(head: SessionHead, to: Phase): SessionFact[] {
  return head.phase === to ? [] : [{ type: "phase.changed", data: { from: head.phase, to } }];
}

/** True if a text surely fits: one UTF-16 unit has at most six bytes as JSON, and a plain character has one. */
function isShort(text: string, bytes: number): boolean {
  return text.length * 6 <= bytes || (text.length <= bytes && PLAIN.test(text));
}

const PLAIN = /^[\w.:-]*$/;

/** Refuses the first text that is too long for the head, measured as JSON. */
export function refuseTooLong(
  texts: Readonly<Record<string, readonly [text: string | null, bytes: number]>>,
): Refusal | null {
  for (const field in texts) {
    const [text = null, bytes = 0] = texts[field] ?? [];
    if (text !== null && !isShort(text, bytes) && jsonBytes(text) - 2 > bytes) {
      return refuse("too_large", `${field} must have at most ${bytes} bytes.`, {
        field,
        limit: bytes,
      });
    }
  }
  return null;
}
