import { isRecord } from "../../contract/is-record.ts";
import type { ObservedAction } from "../../contract/observation.ts";
import { readInstant } from "../../contract/read-instant.ts";
import type { StoredRow } from "../../contract/stream.ts";
import { deepEqual } from "../deep-equal.ts";

/**
 * Finds the stored action for each submitted one: `told` if a row already has all of it, the row
 * that it completes, or null if it is new.
 */
export function matchActions(
  actions: readonly ObservedAction[],
  rows: readonly StoredRow[],
): readonly ("told" | StoredRow | null)[] {
  const submitted = actions.map(readAccount);
  const free = new Set(rows.map((row) => ({ ...readAccount(row.data), row })));
  const told = pairTold(submitted, free);
  return submitted.map((action, nth) => {
    if (told.has(nth)) return "told";
    const match = first(free, (row) => agrees(row, action));
    if (!match) return null;
    free.delete(match);
    return match.row;
  });
}

/** The fields of an action that are compared, with its time already parsed. */
interface Account {
  readonly type: unknown;
  readonly result: unknown;
  readonly at: number | null;
  readonly details: Readonly<Record<string, unknown>> | null;
}

function readAccount(data: Readonly<Record<string, unknown>>): Account {
  const { type, result, timestamp, details } = data;
  return {
    type,
    result,
    at: typeof timestamp === "string" ? readInstant(timestamp) : null,
    details: isRecord(details) ? details : null,
  };
}

/**
 * Pairs as many actions as possible with a row that already holds all their fields, and removes
 * those rows from `free`. Submitting the same actions again, in any order, finds the same rows: a
 * vaguer action gives up its row to an action that has no other choice.
 */
function pairTold<Row extends Account>(actions: readonly Account[], free: Set<Row>): Set<number> {
  const told = new Set<number>();
  /**
   * Rows that hold more than the action paired with them. Only these rows can be useful to another
   * action.
   */
  const loose = new Map<Row, number>();
  const settle = (nth: number, tried: Set<Row>): boolean => {
    const action = actions[nth];
    if (!action) return false;
    const fits = (row: Row) => agrees(row, action) && hasAll(row, action);
    const row =
      first(free, fits) ??
      first(loose.keys(), (taken) => {
        const holder = loose.get(taken);
        if (holder === undefined || tried.has(taken) || !fits(taken)) return false;
        return settle(holder, tried.add(taken));
      });
    if (!row) return false;
    free.delete(row);
    told.add(nth);
    if (hasAll(action, row)) loose.delete(row);
    else loose.set(row, nth);
    return true;
  };
  let tried = new Set<Row>();
  actions.forEach((_, nth) => {
    // A row that was tried in vain stays useless until another pair is made.
    if (settle(nth, tried)) tried = new Set();
  });
  return told;
}

/** Two accounts may describe the same action unless a field that both have differs. */
function agrees(a: Account, b: Account): boolean {
  if (a.type !== b.type) return false;
  if (a.at !== null && b.at !== null && a.at !== b.at) return false;
  if (a.result !== undefined && b.result !== undefined && a.result !== b.result) return false;
  const { details } = a;
  if (!details || !b.details) return true;
  return Object.entries(b.details).every(
    ([key, value]) => !Object.hasOwn(details, key) || deepEqual(details[key], value),
  );
}

/** True if the first account has at least the fields of the other. */
function hasAll({ result, at, details }: Account, other: Account): boolean {
  if (other.result !== undefined && result === undefined) return false;
  if (other.at !== null && at === null) return false;
  if (!other.details) return true;
  return details !== null && Object.keys(other.details).every((key) => Object.hasOwn(details, key));
}

function first<T>(items: Iterable<T>, matches: (item: T) => boolean): T | undefined {
  for (const item of items) if (matches(item)) return item;
  return undefined;
}
