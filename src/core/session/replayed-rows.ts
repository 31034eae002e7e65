import type { SessionEvent } from "../../contract/events.ts";
import type { NewRow, StoredRow } from "../../contract/stream.ts";
import { deepEqual } from "../deep-equal.ts";
import { type KnownRows, NO_ROWS } from "../observation/merge-observation.ts";
import { DONE_ROW, type OpenedRow } from "./index-session.ts";
import { METADATA_ROW } from "./metadata.ts";
import { ENDING_ROW } from "./question-ending.ts";

const ROW_KINDS = [
  "phase",
  "turn",
  "action",
  "checkpoint",
  "outcome",
  "artifact",
  "approval",
  "life",
  "recovery",
  "metadata",
  "merge",
  "agent",
  ENDING_ROW,
  DONE_ROW,
] as const;

/** Replaces each long text by its length. */
function withoutTexts(data: StoredRow["data"]): StoredRow["data"] {
  const isLong = (value: unknown) => typeof value === "string" && value.length > 64;
  return Object.fromEntries(
    Object.entries(data).map(([key, value]) => [key, isLong(value) ? String(value).length : value]),
  );
}

/** Kinds that older versions did not write. */
const LATER_KINDS: ReadonlySet<string> = new Set(["life", "recovery", ENDING_ROW, DONE_ROW]);

/** True if indexing the event needs rows of earlier events. */
export function needsRows(event: SessionEvent): boolean {
  return event.type === "observation.submitted" || setsRow(event);
}

function setsRow(event: SessionEvent): boolean {
  const { type, data } = event;
  return (type === "session.updated" || type === "session.merged") && Boolean(data.beside);
}

/** The index of a session rebuilt from its log alone, to compare with the stored one. */
export class ReplayedRows {
  readonly #items = new Map<string, Map<string, StoredRow>>();
  readonly #opened = new Set<string>();

  /** Adds the row that an event itself opens. */
  open({ kind, key }: OpenedRow, { seq, data }: SessionEvent): void {
    this.#opened.add(`${kind} ${seq}`);
    this.add([{ kind, key, place: seq, nth: 0, seq, data: withoutTexts({ ...data }) }]);
  }

  add(rows: readonly NewRow[]): void {
    for (const { kind, place, nth, seq, key, data } of rows) {
      const items = this.#items.get(kind) ?? new Map<string, StoredRow>();
      this.#items.set(kind, items);
      const at = `${place}/${nth}`;
      const before = items.get(at);
      items.set(at, {
        place,
        nth,
        seq,
        key: before?.key ?? key,
        data: { ...before?.data, ...data },
      });
    }
  }

  /** Merges the earlier state of an item under the patches that were added to it. */
  addBefore(kind: string, { place, nth, seq, key, data }: StoredRow): void {
    const items = this.#items.get(kind);
    const patch = items?.get(`${place}/${nth}`);
    const whole = { place, nth, seq: patch?.seq ?? seq, key, data: { ...data, ...patch?.data } };
    items?.set(`${place}/${nth}`, whole);
  }

  of(kind: string): StoredRow[] {
    return [...(this.#items.get(kind)?.values() ?? [])].sort(
      (a, b) => a.place - b.place || a.nth - b.nth,
    );
  }

  kinds(): readonly string[] {
    return ROW_KINDS;
  }

  /**
   * A stored row in the form that is compared: long texts count only by length if the row's event
   * opened it.
   */
  toCompared(kind: string, row: StoredRow): StoredRow {
    return this.#isOpened(kind, row) ? { ...row, data: withoutTexts(row.data) } : row;
  }

  #isOpened(kind: string, { place, nth }: StoredRow): boolean {
    return nth === 0 && this.#opened.has(`${kind} ${place}`);
  }

  /**
   * True if the compared rows match the log. For later kinds, the oldest rows may be missing and
   * the first may lack its start.
   */
  agrees(kind: string, stored: readonly StoredRow[]): boolean {
    const rows = this.of(kind).map((row, n) => {
      // An older version stored an empty row for such an event.
      const isOlder = stored[n] && Object.keys(stored[n].data).length === 0;
      return isOlder && this.#isOpened(kind, row) ? { ...row, data: {} } : row;
    });
    if (!LATER_KINDS.has(kind)) return deepEqual(stored, rows);
    const missing = rows.length - stored.length;
    if (missing < 0) return false;
    const [first, ...rest] = stored;
    if (!first) return true;
    const whole = { ...first, data: { ...rows[missing]?.data, ...first.data } };
    return deepEqual(whole, rows[missing]) && deepEqual(rest, rows.slice(missing + 1));
  }

  /** The rows that are needed to index this event. */
  knownFor(event: SessionEvent): KnownRows {
    if (setsRow(event)) {
      return { ...NO_ROWS, metadata: this.of(METADATA_ROW).at(-1)?.data };
    }
    if (event.type !== "observation.submitted") return NO_ROWS;
    return {
      action: this.of("action"),
      checkpoint: this.of("checkpoint"),
      outcome: this.of("outcome"),
    };
  }
}
