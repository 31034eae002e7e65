import { closeSync, fstatSync } from "node:fs";
import { openIfThere } from "../../files/open-file.ts";
import { readLines } from "../../import/read-lines.ts";
import { salvageObjects } from "../../import/salvage-objects.ts";

/** The event names of such a workspace. */
const TYPES = [
  "session.start",
  "action.started",
  "action.completed",
  "action.failed",
  "recovery.sync",
  "session.recovered",
] as const;

/** One event of the log, with the agent's other fields. */
export interface LogRecord {
  readonly line: number;
  /** The end of the line in the file, in bytes. */
  readonly end: number;
  readonly type: (typeof TYPES)[number];
  readonly timestamp: string | null;
  readonly trace_id: string | null;
  /** Set by Belay: the log that the event came from. */
  readonly entity_id: string | null;
  readonly step: string | null;
  readonly fields: Readonly<Record<string, unknown>>;
}
interface Damage {
  readonly line: number;
  readonly why: string;
}
interface EventLog {
  readonly records: readonly LogRecord[];
  readonly damaged: readonly Damage[];
  readonly size: number;
}

/** Every complete record of the log, wherever damage is in the file. Null if the file does not exist. */
export function readEventLog(path: string): EventLog | null {
  const file = openIfThere(path);
  if (file === null) return null;
  try {
    const records: LogRecord[] = [];
    const damaged: Damage[] = [];
    const { size } = fstatSync(file);
    for (const read of readLines(file, size, LONGEST_LINE)) {
      if (read === null) continue;
      const { bytes, line, end } = read;
      const found = bytes === null ? null : salvageObjects(bytes.toString("utf8"));
      if (found?.why !== null) damaged.push({ line, why: found?.why ?? "too long" });
      for (const fields of found?.objects ?? []) {
        const record = readRecord(fields, line, end);
        if ("why" in record) damaged.push(record);
        else records.push(record);
      }
    }
    return { records, damaged, size };
  } finally {
    closeSync(file);
  }
}

const STEP_FIELDS = ["step", "step_id", "action", "name", "action_id"] as const;

function readRecord(
  told: Readonly<Record<string, unknown>>,
  line: number,
  end: number,
): LogRecord | Damage {
  const fields = { ...partOf(told.payload), ...partOf(told.data), ...told };
  const type = TYPES.find((known) => known === fields.type);
  if (!type) return { line, why: "not an event of such a workspace" };
  const step = STEP_FIELDS.map((name) => textOf(fields[name])).find((text) => text !== null);
  if (type.startsWith("action.") && step === undefined) return { line, why: "names no step" };
  return {
    line,
    end,
    type,
    timestamp: textOf(fields.timestamp) ?? textOf(fields.ts) ?? textOf(fields.time),
    trace_id: textOf(fields.trace_id),
    entity_id: textOf(fields.entity_id),
    step: step ?? null,
    // Only the fields of the line: a missing field must not hide the state file's value.
    fields: Object.fromEntries(
      KEPT.flatMap((name) => (fields[name] === undefined ? [] : [[name, fields[name]]])),
    ),
  };
}

/** Some agents put the subject of an event into a nested object. */
function partOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? { ...value } : {};
}

/** Logs grow long, and lines may contain anything, so only these fields are kept. */
const KEPT = [
  ...["status", "result", "outcome", "exit_code", "success", "error"],
  ...["effects", "idempotent", "idempotency_key", "detachable", "orphanable", "rollback"],
  "temporary",
  ...["pid", "cmd", "stdout_path", "stderr_path"],
] as const;

/** A text that can be stored, or null. */
export function textOf(value: unknown): string | null {
  if (typeof value === "number") return String(value);
  return typeof value === "string" && value !== "" ? value.toWellFormed() : null;
}

const LONGEST_LINE = 4 * 1024 * 1024;
