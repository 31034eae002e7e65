import type { ListQuery } from "../../stream-store.ts";
import { integerIn, textIn, toInteger, toText } from "../database/columns.ts";
import type { Connection } from "../database/connection.ts";
import { ROW_LIMIT } from "../database/row-limit.ts";
import type { ListPosition } from "./list-cursor.ts";
import { type Condition, equals } from "./list-filter.ts";

/** One walk along an index that is sorted like the list within these equal columns. */
interface Arm {
  readonly index: string;
  readonly equal: readonly Condition[];
}

export interface FoundStream extends ListPosition {
  /** The checksum of the row that the index points to, as SQLite writes hex. */
  readonly sum: string;
}

/** The walks that together visit every stream of a list, and as few others as the indexes allow. */
export function planArms(db: Connection, query: ListQuery, filter: readonly Condition[]): Arm[] {
  const kind = equals("kind", query.kind);
  const owners = query.owner === null ? ownersOf(db, kind, filter) : [query.owner];
  return owners.flatMap((owner) => planOwner(db, [kind, equals("owner", owner)], filter));
}

/** Reads an arm a few positions at a time. */
export class ArmReader {
  readonly #db: Connection;
  readonly #sql: string;
  readonly #values: Condition["values"];
  readonly #chunk: number;
  #found: FoundStream[] = [];
  #next = 0;
  #last: ListPosition;
  #isDone = false;

  constructor(
    db: Connection,
    arm: Arm,
    filter: readonly Condition[],
    after: ListPosition,
    chunk: number,
  ) {
    const walked = new Set(arm.equal.map(({ column }) => column));
    const conditions = [...arm.equal, ...filter.filter(({ column }) => !walked.has(column))];
    this.#db = db;
    this.#sql = `SELECT activity, sid, hex(sum) FROM streams INDEXED BY ${arm.index}
      WHERE ${conditions.map(({ sql }) => sql).join(" AND ")} AND (activity, sid) < (?, ?)
      ORDER BY activity DESC, sid DESC ${ROW_LIMIT}`;
    this.#values = conditions.flatMap(({ values }) => values);
    this.#last = after;
    this.#chunk = chunk;
  }

  /** The next position, without consuming it. */
  peek(): FoundStream | undefined {
    if (this.#next === this.#found.length && !this.#isDone) {
      this.#found = this.readChunk();
      this.#next = 0;
    }
    return this.#found[this.#next];
  }

  advance(): void {
    this.#next += 1;
  }

  readChunk(): FoundStream[] {
    const { activity, sid } = this.#last;
    const rows = this.#db.allValues(this.#sql, ...this.#values, activity, sid, this.#chunk);
    const found = rows.map((values) => ({
      activity: toInteger(values[0], "activity", null),
      sid: toInteger(values[1], "sid", null),
      sum: toText(values[2], "sum", null),
    }));
    this.#last = found.at(-1) ?? this.#last;
    this.#isDone = rows.length < this.#chunk;
    return found;
  }
}

const ARMS = {
  activity: "streams_by_activity",
  agent: "streams_by_agent",
  key: "streams_by_key",
  pinned: "streams_pinned",
  status: "streams_by_status",
  task: "streams_by_task",
  unsettled: "streams_unsettled",
  waiting: "streams_waiting",
} as const;

const ANY_PINNED =
  "SELECT 1 FROM streams INDEXED BY streams_pinned WHERE kind = ? AND owner = ? AND pinned = 1 LIMIT 1";
const ANY_WAITING =
  "SELECT 1 FROM streams INDEXED BY streams_waiting WHERE kind = ? AND owner = ? AND waiting > 0 LIMIT 1";

/**
 * With more streams than this under a prefix, sorting them takes longer than filtering the newest.
 */
const FEW = 1000;

function planOwner(
  db: Connection,
  scope: readonly Condition[],
  filter: readonly Condition[],
): Arm[] {
  const by = (column: string) => filter.find((condition) => condition.column === column);
  const [agent, key, status] = [by("agent"), by("key"), by("status")];
  const [task, unsettled, waiting] = [by("task"), by("unsettled"), by("waiting")];
  const pinned = by("pinned");
  if (pinned && !db.getValues(ANY_PINNED, ...scope.flatMap(({ values }) => values))) return [];
  if (pinned) return eachStatus(db, ARMS.pinned, [...scope, pinned], status);
  if (waiting && !db.getValues(ANY_WAITING, ...scope.flatMap(({ values }) => values))) return [];
  if (waiting) return [{ index: ARMS.waiting, equal: [...scope, waiting] }];
  if (unsettled) return eachStatus(db, ARMS.unsettled, [...scope, unsettled], status);
  if (task) return [{ index: ARMS.task, equal: [...scope, task] }];
  if (key && isRare(db, [...scope, key])) return [{ index: ARMS.key, equal: [...scope, key] }];
  if (!agent && !status) return [{ index: ARMS.activity, equal: scope }];

  const arms = agent
    ? eachStatus(db, ARMS.agent, [...scope, agent], status)
    : eachStatus(db, ARMS.status, scope, status);
  return arms.map((arm) => stopAtOld(arm, by("recent")));
}

/**
 * Ends the walk along a status if only its recent streams are listed. A filter would continue to
 * the oldest.
 */
function stopAtOld(arm: Arm, recent: Condition | undefined): Arm {
  const [status, after] = recent?.values ?? [];
  const isBounded = arm.equal.some(
    ({ column, values }) => column === "status" && values[0] === status,
  );
  if (!recent || after === undefined || !isBounded) return arm;
  return { ...arm, equal: [...arm.equal, { ...recent, sql: "activity > ?", values: [after] }] };
}

/** Splits a walk by status, for an index that is sorted within each status. */
function eachStatus(
  db: Connection,
  index: string,
  equal: readonly Condition[],
  status: Condition | undefined,
): Arm[] {
  const statuses = status ? status.values.map(String) : distinct(db, "status", index, equal);
  return statuses.map((each) => ({ index, equal: [...equal, equals("status", each)] }));
}

/** Owners with unsettled streams may be few among very many. */
function ownersOf(db: Connection, kind: Condition, filter: readonly Condition[]): string[] {
  const unsettled = filter.find(({ column }) => column === "unsettled");
  if (unsettled) return distinct(db, "owner", ARMS.unsettled, [kind, unsettled]);
  return distinct(db, "owner", ARMS.activity, [kind]);
}

function isRare(db: Connection, conditions: readonly Condition[]): boolean {
  const where = conditions.map(({ sql }) => sql).join(" AND ");
  const values = conditions.flatMap((condition) => condition.values);
  const sql = `SELECT count(*) AS n FROM (SELECT 1 FROM streams WHERE ${where} LIMIT ${FEW + 1})`;
  return integerIn(db.get(sql, ...values) ?? {}, "n", null) <= FEW;
}

/** Jumps from value to value, however many streams share one. */
function distinct(
  db: Connection,
  column: "owner" | "status",
  index: string,
  equal: readonly Condition[],
): string[] {
  const where = equal.map(({ sql }) => sql).join(" AND ");
  const values = equal.flatMap((condition) => condition.values);
  const from = `SELECT ${column} FROM streams INDEXED BY ${index} WHERE ${where}`;
  const found: string[] = [];
  let row = db.get(`${from} ORDER BY ${column} LIMIT 1`, ...values);
  while (row) {
    const value = textIn(row, column, null);
    found.push(value);
    row = db.get(`${from} AND ${column} > ? ORDER BY ${column} LIMIT 1`, ...values, value);
  }
  return found;
}
