import { LISTING_FIELDS } from "../../../contract/stream.ts";
import { checkFilter } from "../../list-rules.ts";
import { LIST_FILTERS, type ListFilter, type ListQuery } from "../../stream-store.ts";

/** A condition on a row of `streams`. */
export interface Condition {
  readonly column: string;
  readonly sql: string;
  readonly values: readonly (string | number | Uint8Array)[];
}

/** All of the filter, once it has been checked. */
export function conditionsOf(filter: ListFilter): Condition[] {
  checkFilter(filter);
  return LIST_FILTERS.flatMap((name) => {
    const value = filter[name];
    return value === undefined ? [] : conditionOf(name, value);
  });
}

/** Whose streams, and of what kind. */
export function scopeOf({ kind, owner }: Pick<ListQuery, "kind" | "owner">): Condition[] {
  return owner === null ? [equals("kind", kind)] : [equals("kind", kind), equals("owner", owner)];
}

export function equals(column: string, value: string): Condition {
  return { column, sql: `${column} = ?`, values: [value] };
}

function conditionOf(
  name: keyof ListFilter,
  value: NonNullable<ListFilter[keyof ListFilter]>,
): Condition {
  switch (typeof value) {
    case "string":
      return name === "key_prefix" ? startsWith(value) : equals(name, value);
    case "number":
      return { column: name, sql: `${bounds[name]} ?`, values: [value] };
    case "boolean":
      return hasAny(name, value);
    default:
      return "status" in value ? isRecent(value.status, value.active_after) : isOneOf(name, value);
  }
}

const bounds: Readonly<Partial<Record<keyof ListFilter, string>>> = {
  created_before: "created <",
  active_after: "activity >",
  active_before: "activity <",
};

function isOneOf(column: string, values: readonly string[]): Condition {
  const wanted = [...new Set(values)];
  return { column, sql: `${column} IN (${wanted.map(() => "?").join(", ")})`, values: wanted };
}

/** As the indexes say it. Only what is wanted has one; without it, the column has another name. */
function hasAny(name: keyof ListFilter, isWanted: boolean): Condition {
  if (!isWanted) return { column: `not ${name}`, sql: `${name} = 0`, values: [] };
  return { column: name, sql: flags.has(name) ? `${name} = 1` : `${name} > 0`, values: [] };
}

const flags = new Set<string>(
  Object.entries(LISTING_FIELDS).flatMap(([name, kind]) => (kind === "flag" ? [name] : [])),
);

function startsWith(prefix: string): Condition {
  // No text has the byte FF, so all that begin with the prefix come before this.
  const end = Buffer.concat([Buffer.from(prefix), Buffer.from([0xff])]);
  return { column: "key", sql: "key >= ? AND key < CAST(? AS TEXT)", values: [prefix, end] };
}

function isRecent(status: string, after: number): Condition {
  return {
    column: "recent",
    sql: "(status <> ? OR activity > ?)",
    values: [status, after],
  };
}
