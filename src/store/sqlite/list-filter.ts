import { BelayError, refuse } from "../../contract/errors.ts";
import { LIST_FILTERS, type ListFilter, type ListQuery } from "../stream-store.ts";

/** A condition on a row of `streams`, for SQL. */
export interface Condition {
  readonly column: string;
  readonly sql: string;
  readonly values: readonly (string | number | Uint8Array)[];
}

/** All of the filter. An unknown name or a value of another type is an error, never "all rows". */
export function conditionsOf(filter: ListFilter): Condition[] {
  const names = Object.keys(filter).map(
    (name) => LIST_FILTERS.find((known) => known === name) ?? unknownFilter(name),
  );
  return names.flatMap((name) => {
    const value = filter[name];
    return value === undefined ? [] : conditions[name](name, value);
  });
}

/** Whose streams, and of what kind. */
export function scopeOf({ kind, owner }: Pick<ListQuery, "kind" | "owner">): Condition[] {
  return owner === null ? [equals("kind", kind)] : [equals("kind", kind), equals("owner", owner)];
}

export function equals(column: string, value: string): Condition {
  return { column, sql: `${column} = ?`, values: [value] };
}

type Build = (name: string, value: unknown) => Condition;

const conditions: Readonly<Record<keyof ListFilter, Build>> = {
  status: (name, value) => {
    const statuses = [...new Set(texts(name, value))];
    const sql = `status IN (${statuses.map(() => "?").join(", ")})`;
    return { column: "status", sql, values: statuses };
  },
  phase: sameText,
  agent: sameText,
  interface: sameText,
  project: sameText,
  task: sameText,
  waiting: (name, value) => {
    if (value !== true) throw wrongType(name, "true", value);
    return { column: "waiting", sql: "waiting > 0", values: [] };
  },
  key_prefix: (name, value) => {
    const prefix = text(name, value);
    // No text has the byte FF, so all that begin with the prefix come before this.
    const end = Buffer.concat([Buffer.from(prefix), Buffer.from([0xff])]);
    return { column: "key", sql: "key >= ? AND key < CAST(? AS TEXT)", values: [prefix, end] };
  },
  created_before: comparedWith("created <"),
  active_after: comparedWith("activity >"),
  active_before: comparedWith("activity <"),
};

function sameText(name: string, value: unknown): Condition {
  return equals(name, text(name, value));
}

function comparedWith(comparison: string): Build {
  return (name, value) => {
    if (typeof value !== "number" || Number.isNaN(value)) {
      throw wrongType(name, "a time in milliseconds", value);
    }
    return { column: name, sql: `${comparison} ?`, values: [value] };
  };
}

function text(name: string, value: unknown): string {
  if (typeof value === "string") return value;
  throw wrongType(name, "a text", value);
}

function texts(name: string, value: unknown): string[] {
  if (!Array.isArray(value)) throw wrongType(name, "a list of texts", value);
  return value.map((each) => text(name, each));
}

function unknownFilter(filter: string): never {
  const message = `a list cannot be filtered by ${filter}; it can by ${LIST_FILTERS.join(", ")}`;
  throw new BelayError(refuse("unknown_filter", message, { filter, known: LIST_FILTERS }));
}

function wrongType(filter: string, expected: string, value: unknown): BelayError {
  const message = `the filter ${filter} takes ${expected}`;
  return new BelayError(refuse("invalid_input", message, { filter, value }));
}
