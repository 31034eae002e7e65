import { isRecord } from "../../contract/is-record.ts";
import type { ObservedAction } from "../../contract/observation.ts";
import { readInstant } from "../../contract/read-instant.ts";
import type { StoredRow } from "../../contract/stream.ts";
import { deepEqual } from "../deep-equal.ts";

/**
 * Which stored action each submitted one is: `told` when a row says all of it already, the row that it fills in, or null
 * when it is new.
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

/** What is said of an action, its time read once. */
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
 * Gives as many actions as possible a row of their own that says it all, and takes it out of `free`. Whatever was submitted
 * before finds its rows again, in any order: a vaguer action that came first gives its row up to one that has no other.
 */
function pairTold<Row extends Account>(actions: readonly Account[], free: Set<Row>): Set<number> {
  const told = new Set<number>();
  /** Rows that say more than the action which took them: only those are worth asking back. */
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
    // What led nowhere leads nowhere until another pair is made.
    if (settle(nth, tried)) tried = new Set();
  });
  return told;
}

/** Two accounts can be of the same action unless something that both say differs. */
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

/** Whether the one says at least what the other says. */
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
