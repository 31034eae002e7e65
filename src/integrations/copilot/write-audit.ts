import { DatabaseSync, type SQLInputValue } from "node:sqlite";
import { isDatabase } from "./gaia-database.ts";

/** An entry for the audit of a workspace. All of it is derived from the event, so that a second row is recognized. */
export interface AuditTrace {
  readonly id: string;
  readonly type: string;
  readonly at: number;
  readonly trace_id: string | null;
  readonly session_id: string | null;
  readonly status: string;
  readonly details: Readonly<Record<string, unknown>>;
}

interface Column {
  readonly name: string;
  readonly type: string;
  readonly required: boolean;
}

/**
 * Adds missing entries to the audit of another tool's database, in its own columns. Returns true if a row was added.
 * Throws if the table cannot be filled; it is never created or altered.
 */
export function writeAudit(path: string, traces: readonly AuditTrace[]): boolean {
  if (!isDatabase(path)) return false;
  const database = new DatabaseSync(path, { timeout: 2000 });
  try {
    const columns = readColumns(database);
    if (columns.length === 0) return false;
    const rows = traces.map((trace) => fill(columns, trace));
    database.exec("BEGIN IMMEDIATE");
    const added = rows.filter((row) => addOnce(database, row)).length;
    database.exec("COMMIT");
    return added > 0;
  } finally {
    database.close();
  }
}

type Row = ReadonlyMap<string, SQLInputValue>;

const FILLED: Readonly<Record<string, (trace: AuditTrace, column: Column) => SQLInputValue>> = {
  ...sameFor(["timestamp", "ts", "time", "at", "created_at", "recorded_at"], ({ at }, { type }) =>
    /INT|REAL|NUM|FLOA|DOUB/i.test(type) ? at / 1000 : new Date(at).toISOString(),
  ),
  ...sameFor(["type", "event", "event_type", "action", "name", "kind"], ({ type }) => type),
  ...sameFor(["trace_id", "trace"], ({ trace_id }) => trace_id),
  ...sameFor(["session_id", "session"], ({ session_id }) => session_id),
  ...sameFor(["status", "result", "outcome"], ({ status }) => status),
  ...sameFor(["actor", "agent", "agent_name", "source", "user"], () => "belay"),
  ...sameFor(
    ["details", "data", "payload", "message", "meta", "metadata", "body", "info", "notes"],
    ({ details }) => JSON.stringify(details),
  ),
  id: ({ id }) => id,
};

function sameFor(
  names: readonly string[],
  value: (trace: AuditTrace, column: Column) => SQLInputValue,
) {
  return Object.fromEntries(names.map((name) => [name, value]));
}

function fill(columns: readonly Column[], trace: AuditTrace): Row {
  const row = new Map<string, SQLInputValue>();
  for (const column of columns) {
    const value = FILLED[column.name.toLowerCase()]?.(trace, column) ?? null;
    if (value === null && column.required) {
      throw new Error(`its audit needs a ${column.name}, which Belay does not have`);
    }
    if (value !== null) row.set(column.name, value);
  }
  if (row.size < 2) throw new Error("its audit has no columns for this");
  return row;
}

function addOnce(database: DatabaseSync, row: Row): boolean {
  const names = [...row.keys()].map((name) => `"${name.replaceAll('"', '""')}"`);
  const same = names.map((name) => `${name} IS ?`).join(" AND ");
  if (database.prepare(`SELECT 1 FROM audit WHERE ${same}`).get(...row.values())) return false;
  const marks = names.map(() => "?").join(", ");
  database
    .prepare(`INSERT INTO audit (${names.join(", ")}) VALUES (${marks})`)
    .run(...row.values());
  return true;
}

/** The columns to fill; a number that the table counts itself is omitted. */
function readColumns(database: DatabaseSync): Column[] {
  const isTable = database
    .prepare("SELECT 1 FROM sqlite_master WHERE type = 'table' AND lower(name) = 'audit'")
    .get();
  if (!isTable) return [];
  return database
    .prepare("SELECT * FROM pragma_table_info('audit')")
    .all()
    .filter(({ pk, type }) => !(Number(pk) > 0 && /^INT/i.test(String(type))))
    .map(({ name, type, notnull, dflt_value, pk }) => ({
      name: String(name),
      type: String(type),
      required: (Number(notnull) === 1 || Number(pk) > 0) && dflt_value === null,
    }));
}
