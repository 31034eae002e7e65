import type { NewRow, StoredRow } from "../contract/stream.ts";
import type { KnownItems } from "./merge-observation.ts";

export const ROW_KINDS = [
  "phase",
  "turn",
  "action",
  "checkpoint",
  "outcome",
  "artifact",
  "approval",
] as const;

/** The index of a session as its log alone makes it, for comparing with the one that is stored. */
export class ReplayedRows {
  readonly #items = new Map<string, Map<string, StoredRow>>();

  add(rows: readonly NewRow[]): void {
    for (const { kind, place, nth, key, data } of rows) {
      const items = this.#items.get(kind) ?? new Map<string, StoredRow>();
      this.#items.set(kind, items);
      const at = `${place}/${nth}`;
      const before = items.get(at);
      items.set(at, {
        place,
        nth,
        key: before?.key ?? key,
        data: { ...before?.data, ...data },
      });
    }
  }

  of(kind: string): StoredRow[] {
    return [...(this.#items.get(kind)?.values() ?? [])].sort(
      (a, b) => a.place - b.place || a.nth - b.nth,
    );
  }

  kinds(): readonly string[] {
    return ROW_KINDS;
  }

  known(): KnownItems {
    return {
      action: this.of("action"),
      checkpoint: this.of("checkpoint"),
      outcome: this.of("outcome"),
    };
  }
}
