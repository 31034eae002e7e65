import { isRecord } from "../../contract/is-record.ts";
import { LIMITS } from "../../contract/limits.ts";
import type { Observation, ObservationRejection } from "../../contract/observation.ts";
import { readInstant } from "../../contract/read-instant.ts";
import { canBeIndexed } from "../session/can-be-indexed.ts";

type ValidatedObservation =
  | { readonly observation: Observation; readonly warnings: readonly string[] }
  | ObservationRejection;

/**
 * Validates an observation by hand, because the exact rejection is part of the contract: it reports
 * the first broken rule as `field`, `value`, `expected` and a sentence.
 */
export function validateObservation(input: unknown): ValidatedObservation {
  try {
    const observation = readObservation(input);
    return {
      observation,
      warnings: [...findUnknownFields(input), ...findInconsistencies(observation)],
    };
  } catch (error) {
    if (error instanceof Rejected) return error.rejection;
    throw error;
  }
}

class Rejected extends Error {
  readonly rejection: ObservationRejection;
  constructor(field: string, value: unknown, expected: string, message: string) {
    super(message);
    this.rejection = {
      error: "schema_validation_failed",
      details: { field, value: value === undefined ? null : value, expected, message },
    };
  }
}

function readObservation(input: unknown): Observation {
  if (!isRecord(input))
    throw new Rejected("", input, "type: object", "The payload must be an object");
  const session_id = readSessionId(input.session_id);
  const actions = readList(input.actions, "actions", "Actions", readAction);
  if (actions.length === 0) {
    throw new Rejected("actions", [], "min_length: 1", "Actions array must have at least 1 item");
  }
  const checkpoints = optional(input.checkpoints, (value) =>
    readList(value, "checkpoints", "Checkpoints", readCheckpoint),
  );
  const outcomes = optional(input.outcomes, (value) =>
    readList(value, "outcomes", "Outcomes", readOutcome),
  );
  const duration = optional(input.duration, readDuration);
  const started_at = readTimestamp(input.started_at, "started_at");
  const ended_at = optional(input.ended_at, (value) => readTimestamp(value, "ended_at"));
  if (ended_at !== undefined && readInstant(ended_at) < readInstant(started_at)) {
    throw new Rejected("ended_at", ended_at, ">= started_at", "ended_at must be >= started_at");
  }
  return {
    session_id,
    actions,
    ...(checkpoints && { checkpoints }),
    ...(outcomes && { outcomes }),
    ...(duration !== undefined && { duration }),
    started_at,
    ...(ended_at !== undefined && { ended_at }),
  };
}

const SESSION_ID = /^[A-Za-z0-9][A-Za-z0-9._:-]*$/;

function readSessionId(value: unknown): string {
  const field = "session_id";
  if (typeof value !== "string") {
    throw new Rejected(field, value, "type: string", "session_id must be a string");
  }
  const { min, max } = LIMITS.SESSION_ID;
  if (value.length < min) {
    throw new Rejected(
      field,
      value,
      `min_length: ${min}`,
      `session_id must be at least ${min} characters`,
    );
  }
  if (value.length > max) {
    throw new Rejected(
      field,
      value,
      `max_length: ${max}`,
      `session_id must be at most ${max} characters`,
    );
  }
  if (!SESSION_ID.test(value)) {
    throw new Rejected(
      field,
      value,
      "pattern: letters, digits and . _ : -",
      "session_id must consist of letters, digits and . _ : -, starting with a letter or a digit",
    );
  }
  return value;
}

function readAction(value: unknown, field: string): Observation["actions"][number] {
  const item = readObject(value, field);
  const type = readName(item.type, `${field}.type`);
  const result = readText(item.result, `${field}.result`);
  const details = optional(item.details, (inner) => readObject(inner, `${field}.details`));
  const timestamp = optional(item.timestamp, (inner) => readTimestamp(inner, `${field}.timestamp`));
  return {
    type,
    result,
    ...(details && { details }),
    ...(timestamp !== undefined && { timestamp }),
  };
}

function readCheckpoint(
  value: unknown,
  field: string,
): NonNullable<Observation["checkpoints"]>[number] {
  const item = readObject(value, field);
  const name = readName(item.name, `${field}.name`);
  const state = optional(item.state, (inner) => readObject(inner, `${field}.state`));
  const timestamp = readTimestamp(item.timestamp, `${field}.timestamp`);
  return { name, ...(state && { state }), timestamp };
}

function readOutcome(value: unknown, field: string): NonNullable<Observation["outcomes"]>[number] {
  const item = readObject(value, field);
  const type = readName(item.type, `${field}.type`);
  const id = optional(item.id, (inner) => readName(inner, `${field}.id`));
  const details = optional(item.details, (inner) => readObject(inner, `${field}.details`));
  return { type, ...(id !== undefined && { id }), ...(details && { details }) };
}

function readDuration(value: unknown): number {
  if (typeof value !== "number" || !Number.isFinite(value) || value <= 0) {
    throw new Rejected("duration", value, "positive number", "duration must be a positive number");
  }
  return value;
}

function readList<T>(
  value: unknown,
  field: string,
  label: string,
  read: (item: unknown, field: string) => T,
): T[] {
  if (!Array.isArray(value)) {
    throw new Rejected(field, value, "type: array", `${label} must be an array`);
  }
  return value.map((item, at) => read(item, `${field}[${at}]`));
}

function readObject(value: unknown, field: string): Record<string, unknown> {
  if (!isRecord(value)) {
    throw new Rejected(field, value, "type: object", `${field} must be an object`);
  }
  return { ...value };
}

function readText(value: unknown, field: string): string {
  if (typeof value !== "string") {
    throw new Rejected(field, value, "type: string", `${field} must be a string`);
  }
  if (value === "") throw new Rejected(field, value, "min_length: 1", `${field} must not be empty`);
  return value;
}

/** Reads a text that the item is later looked up by. */
function readName(value: unknown, field: string): string {
  const name = readText(value, field);
  if (canBeIndexed(name)) return name;
  throw new Rejected(
    field,
    value,
    `max_length: ${LIMITS.INDEXED}`,
    `${field} must be text of at most ${LIMITS.INDEXED} bytes`,
  );
}

const ISO_8601 =
  /^\d{4}-\d{2}-\d{2}([T ]\d{2}:\d{2}(:\d{2}([.,]\d{1,9})?)?(Z|[+-]\d{2}:?\d{2})?)?$/;

function readTimestamp(value: unknown, field: string): string {
  if (typeof value !== "string" || !ISO_8601.test(value) || !isInstant(value)) {
    throw new Rejected(
      field,
      value,
      "ISO 8601 timestamp",
      `${field} must be a valid ISO 8601 timestamp`,
    );
  }
  return value;
}

/** `Date.parse` accepts February 30 and returns March 2, so the day is compared. */
function isInstant(text: string): boolean {
  const day = text.slice(0, 10);
  const midnight = Date.parse(`${day}T00:00:00Z`);
  return (
    !Number.isNaN(readInstant(text)) &&
    !Number.isNaN(midnight) &&
    new Date(midnight).toISOString().startsWith(day)
  );
}

function optional<T>(value: unknown, read: (value: unknown) => T): T | undefined {
  return value === undefined || value === null ? undefined : read(value);
}

const KNOWN_FIELDS = {
  "": ["session_id", "actions", "checkpoints", "outcomes", "duration", "started_at", "ended_at"],
  actions: ["type", "result", "details", "timestamp"],
  checkpoints: ["name", "state", "timestamp"],
  outcomes: ["type", "id", "details"],
} as const;

/** The most unknown fields that one answer warns about. */
const MOST_UNKNOWN = 20;

/** Fields that are not part of the schema are not stored, so the sender is warned. */
function findUnknownFields(input: unknown): string[] {
  if (!isRecord(input)) return [];
  const items = (["actions", "checkpoints", "outcomes"] as const).flatMap((list) => {
    const values = input[list];
    return (Array.isArray(values) ? values : []).flatMap((item, at) =>
      unknownIn(item, KNOWN_FIELDS[list], `${list}[${at}].`),
    );
  });
  return [...unknownIn(input, KNOWN_FIELDS[""], ""), ...items]
    .slice(0, MOST_UNKNOWN)
    .map((field) => `unknown field ${field} was ignored`);
}

function unknownIn(item: unknown, known: readonly string[], prefix: string): string[] {
  if (!isRecord(item)) return [];
  return Object.keys(item)
    .filter((key) => !known.includes(key))
    .map((key) => `${prefix}${key.slice(0, LIMITS.NAME)}`);
}

/** Warnings about fields that contradict the stored session. */
export function findContradictions(
  { started_at }: Observation,
  before: { readonly ended_at: string | null } | null,
): string[] {
  const ended_at = before?.ended_at ?? null;
  if (ended_at === null || readInstant(started_at) <= readInstant(ended_at)) return [];
  return [`started_at ${started_at} is after the end that was submitted before (${ended_at})`];
}

/** Warnings about values that are unusual but acceptable. */
function findInconsistencies(observation: Observation): string[] {
  const start = readInstant(observation.started_at);
  const end = observation.ended_at === undefined ? null : readInstant(observation.ended_at);
  const warnings: string[] = [];
  if (end !== null && observation.duration !== undefined) {
    const actual = (end - start) / 1000;
    if (Math.abs(actual - observation.duration) > 1) {
      warnings.push(
        `duration ${observation.duration} does not match ended_at - started_at (${actual})`,
      );
    }
  }
  for (const { name, timestamp } of observation.checkpoints ?? []) {
    const at = readInstant(timestamp);
    if (at < start || (end !== null && at > end)) {
      warnings.push(`checkpoint ${name} (${timestamp}) is not between started_at and ended_at`);
    }
  }
  return warnings;
}
