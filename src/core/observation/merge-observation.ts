import { isRecord } from "../../contract/is-record.ts";
import type {
  Observation,
  ObservedAction,
  ObservedCheckpoint,
  ObservedOutcome,
} from "../../contract/observation.ts";
import type { NewRow, RowQuery, StoredRow } from "../../contract/stream.ts";
import { deepEqual } from "../deep-equal.ts";
import { matchActions } from "./match-actions.ts";

/** The stored items of a session that an observation may mention again, by kind. */
export interface KnownItems {
  readonly action: readonly StoredRow[];
  readonly checkpoint: readonly StoredRow[];
  readonly outcome: readonly StoredRow[];
}

/** The rows needed to build the index rows of an event. */
export interface KnownRows extends KnownItems {
  /** The content of the metadata row. */
  readonly metadata?: StoredRow["data"] | undefined;
}
export const NO_ROWS: KnownRows = { action: [], checkpoint: [], outcome: [] };

/** The rows that must be loaded before `mergeObservation` can decide. */
export function knownItemQueries(observation: Observation): {
  [K in keyof KnownItems]: RowQuery[];
} {
  const queries = (kind: string, keys: readonly string[]): RowQuery[] =>
    [...new Set(keys)].map((key) => ({ kind, key }));
  return {
    action: queries(
      "action",
      observation.actions.map((action) => action.type),
    ),
    checkpoint: queries(
      "checkpoint",
      (observation.checkpoints ?? []).map((item) => item.name),
    ),
    outcome: queries("outcome", (observation.outcomes ?? []).map(outcomeKey)),
  };
}

/**
 * The rows that one more observation adds or completes. The merge never loses a field of an earlier
 * observation: fields are added, and checkpoints and outcomes of the same name are replaced.
 */
export function mergeObservation(
  observation: Observation,
  known: KnownItems,
  seq: number,
): NewRow[] {
  return [
    ...mergeActions(observation.actions, known.action, seq),
    ...mergeNamed(
      "checkpoint",
      (observation.checkpoints ?? []).map(fromCheckpoint),
      known,
      seq,
      observation.replaces ? replace : fill,
    ),
    ...mergeNamed("outcome", (observation.outcomes ?? []).map(fromOutcome), known, seq, fill),
  ];
}

interface Item {
  readonly key: string;
  readonly data: Readonly<Record<string, unknown>>;
  /** False for an item without a name, which only matches an equal one. */
  readonly named: boolean;
}

function mergeActions(
  actions: readonly ObservedAction[],
  stored: readonly StoredRow[],
  seq: number,
): NewRow[] {
  const matches = matchActions(actions, stored);
  return actions.flatMap((action, nth) => {
    const match = matches[nth];
    if (match === "told") return [];
    return match
      ? [patch("action", match, fill(match.data, action), seq)]
      : [{ kind: "action", place: seq, nth, seq, key: action.type, data: { ...action } }];
  });
}

function mergeNamed(
  kind: "checkpoint" | "outcome",
  items: readonly Item[],
  known: KnownItems,
  seq: number,
  merge: typeof fill,
): NewRow[] {
  const rows: NewRow[] = [];
  const current: StoredRow[] = [...known[kind]];
  items.forEach((item, nth) => {
    const at = current.findIndex(
      (row) => row.key === item.key && (item.named || deepEqual(row.data, item.data)),
    );
    const match = current[at];
    if (!match) {
      const row = { kind, place: seq, nth, seq, key: item.key, data: item.data };
      rows.push(row);
      current.push(row);
      return;
    }
    const merged = merge(match.data, item.data);
    if (deepEqual(merged, match.data)) return;
    const mine = rows.findIndex((row) => row.place === match.place && row.nth === match.nth);
    const row = { ...patch(kind, match, merged, seq), data: merged };
    if (mine >= 0) rows[mine] = row;
    else rows.push(row);
    current[at] = row;
  });
  return rows;
}

function patch(
  kind: string,
  row: StoredRow,
  data: Readonly<Record<string, unknown>>,
  seq: number,
): NewRow {
  return { kind, place: row.place, nth: row.nth, seq, key: row.key, data };
}

/**
 * Later fields replace earlier ones as a whole, so that two saved states are never mixed into a
 * third. Missing fields stay.
 */
function replace(
  before: Readonly<Record<string, unknown>>,
  after: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  return { ...before, ...after };
}

/**
 * Later fields replace earlier ones, and missing fields stay; `details` and `state` are merged key
 * by key.
 */
function fill(
  before: Readonly<Record<string, unknown>>,
  after: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  const joined = Object.entries(after).map(([key, value]): [string, unknown] => {
    const old = before[key];
    return [key, isRecord(old) && isRecord(value) ? { ...old, ...value } : value];
  });
  return { ...before, ...Object.fromEntries(joined) };
}

function fromCheckpoint(checkpoint: ObservedCheckpoint): Item {
  return { key: checkpoint.name, data: { ...checkpoint }, named: true };
}

function fromOutcome(outcome: ObservedOutcome): Item {
  return { key: outcomeKey(outcome), data: { ...outcome }, named: outcome.id !== undefined };
}

export function outcomeKey(outcome: { type: string; id?: string | null | undefined }): string {
  return JSON.stringify([outcome.type, outcome.id ?? null]);
}
