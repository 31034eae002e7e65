import { BelayError, refuse } from "../../../contract/errors.ts";
import { LIST_FILTERS, type ListFilter, type ListQuery } from "../../stream-store.ts";
import type { StreamRow } from "../database/stream-row.ts";

/** A condition on a row of `streams`: for SQL, and for a row that an index has led to. */
export interface Condition {
  readonly column: string;
  readonly sql: string;
  readonly values: readonly (string | number | Uint8Array)[];
  holds(row: Listed): boolean;
}

type Listed = Pick<StreamRow, "kind" | "owner" | "key" | "listing">;

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

export function equals(column: TextColumn, value: string): Condition {
  const read = columns[column];
  return { column, sql: `${column} = ?`, values: [value], holds: (row) => read(row) === value };
}

const columns = {
  kind: (row: Listed) => row.kind,
  owner: (row: Listed) => row.owner,
  status: (row: Listed) => row.listing.status,
  phase: (row: Listed) => row.listing.phase,
  agent: (row: Listed) => row.listing.agent,
  interface: (row: Listed) => row.listing.interface,
  project: (row: Listed) => row.listing.project,
  task: (row: Listed) => row.listing.task,
} as const;

type TextColumn = keyof typeof columns;

type Build = (name: string, value: unknown) => Condition;

const conditions: Readonly<Record<keyof ListFilter, Build>> = {
  status: (name, value) => {
    const statuses = [...new Set(texts(name, value))];
    return {
      column: "status",
      sql: `status IN (${statuses.map(() => "?").join(", ")})`,
      values: statuses,
      holds: ({ listing }) => statuses.includes(listing.status),
    };
  },
  phase: (name, value) => equals("phase", text(name, value)),
  agent: (name, value) => equals("agent", text(name, value)),
  interface: (name, value) => equals("interface", text(name, value)),
  project: (name, value) => equals("project", text(name, value)),
  task: (name, value) => equals("task", text(name, value)),
  waiting: flag(["waiting > 0", "waiting = 0"], ({ listing }) => listing.waiting > 0),
  pinned: flag(["pinned = 1", "pinned = 0"], ({ listing }) => listing.pinned === 1),
  unsettled: (name, value) => {
    if (value !== true) throw wrongType(name, "true", value);
    const holds = ({ listing }: Listed) => listing.unsettled === 1;
    return { column: "unsettled", sql: "unsettled = 1", values: [], holds };
  },
  key_prefix: (name, value) => {
    const prefix = text(name, value);
    // No text has the byte FF, so all that begin with the prefix come before this.
    const end = Buffer.concat([Buffer.from(prefix), Buffer.from([0xff])]);
    return {
      column: "key",
      sql: "key >= ? AND key < CAST(? AS TEXT)",
      values: [prefix, end],
      holds: ({ key }) => key.startsWith(prefix),
    };
  },
  created_before: compared("created <", (bound) => (row) => row.listing.created < bound),
  active_after: compared("activity >", (bound) => (row) => row.listing.activity > bound),
  active_before: compared("activity <", (bound) => (row) => row.listing.activity < bound),
  recent: (name, value) => {
    const { status, active_after: after } = recentOf(name, value);
    return {
      column: "recent",
      sql: "(status <> ? OR activity > ?)",
      values: [status, after],
      holds: ({ listing }) => listing.status !== status || listing.activity > after,
    };
  },
};

/** Only a wanted flag has an index; without one, the column has another name. */
function flag([is, isNot]: readonly [string, string], read: (row: Listed) => boolean): Build {
  return (name, value) => {
    if (typeof value !== "boolean") throw wrongType(name, "true or false", value);
    const holds = (row: Listed) => read(row) === value;
    return value
      ? { column: name, sql: is, values: [], holds }
      : { column: `not ${name}`, sql: isNot, values: [], holds };
  };
}

function compared(sql: string, against: (bound: number) => Condition["holds"]): Build {
  return (name, value) => {
    if (typeof value !== "number" || Number.isNaN(value)) {
      throw wrongType(name, "a time in milliseconds", value);
    }
    return { column: name, sql: `${sql} ?`, values: [value], holds: against(value) };
  };
}

function recentOf(name: string, value: unknown): { status: string; active_after: number } {
  if (typeof value === "object" && value !== null && "status" in value && "active_after" in value) {
    const { status, active_after } = value;
    if (typeof status === "string" && typeof active_after === "number") {
      return { status, active_after };
    }
  }
  throw wrongType(name, "a status and a time in milliseconds", value);
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
