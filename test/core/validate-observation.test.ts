import { describe, expect, it } from "vitest";
import { validateObservation } from "../../src/core/observation/validate-observation.ts";
import { COMPLETE, MINIMAL, RECORDED, RECORDED_UPDATE, UPDATE } from "./document-payload.ts";

describe("a payload of the document is accepted as it stands", () => {
  it.each([
    ["minimal", MINIMAL],
    ["complete", COMPLETE],
    ["adding checkpoints", UPDATE],
    ["recording a session", RECORDED],
    ["updating a session", RECORDED_UPDATE],
  ])("%s", (_, payload) => {
    expect(validateObservation(payload)).toEqual({ observation: payload, warnings: [] });
  });
});

const REJECTION_OF_THE_DOCUMENT = `{
  "error": "schema_validation_failed",
  "details": {
    "field": "actions",
    "value": [],
    "expected": "min_length: 1",
    "message": "Actions array must have at least 1 item"
  }
}`;

describe("a rejection", () => {
  it("equals the document's, byte for byte", () => {
    const rejection = validateObservation({ ...MINIMAL, actions: [] });
    expect(JSON.stringify(rejection, null, 2)).toBe(REJECTION_OF_THE_DOCUMENT);
  });

  const action = { type: "commit", result: "success" };
  const checkpoint = { name: "committed", timestamp: "2025-12-31T11:45:00Z" };

  it.each<[string, object, string, unknown, string, string]>([
    [
      "no session_id",
      { session_id: undefined },
      "session_id",
      null,
      "type: string",
      "session_id must be a string",
    ],
    [
      "a session_id that is no text",
      { session_id: 12345 },
      "session_id",
      12345,
      "type: string",
      "session_id must be a string",
    ],
    [
      "a session_id of 4 characters",
      { session_id: "abcd" },
      "session_id",
      "abcd",
      "min_length: 5",
      "session_id must be at least 5 characters",
    ],
    [
      "a session_id of 129 characters",
      { session_id: "a".repeat(129) },
      "session_id",
      "a".repeat(129),
      "max_length: 128",
      "session_id must be at most 128 characters",
    ],
    [
      "a session_id that is a path",
      { session_id: "../../etc" },
      "session_id",
      "../../etc",
      "pattern: letters, digits and . _ : -",
      "session_id must consist of letters, digits and . _ : -, starting with a letter or a digit",
    ],
    [
      "no actions",
      { actions: undefined },
      "actions",
      null,
      "type: array",
      "Actions must be an array",
    ],
    [
      "actions that are no array",
      { actions: { 0: action } },
      "actions",
      { 0: action },
      "type: array",
      "Actions must be an array",
    ],
    [
      "an action that is no object",
      { actions: [action, "commit"] },
      "actions[1]",
      "commit",
      "type: object",
      "actions[1] must be an object",
    ],
    [
      "an action without type",
      { actions: [{ result: "success" }] },
      "actions[0].type",
      null,
      "type: string",
      "actions[0].type must be a string",
    ],
    [
      "an action without result",
      { actions: [{ type: "commit" }] },
      "actions[0].result",
      null,
      "type: string",
      "actions[0].result must be a string",
    ],
    [
      "an action with an empty result",
      { actions: [{ type: "commit", result: "" }] },
      "actions[0].result",
      "",
      "min_length: 1",
      "actions[0].result must not be empty",
    ],
    [
      "action details that are no object",
      { actions: [{ ...action, details: ["a"] }] },
      "actions[0].details",
      ["a"],
      "type: object",
      "actions[0].details must be an object",
    ],
    [
      "an action at no time",
      { actions: [{ ...action, timestamp: "noon" }] },
      "actions[0].timestamp",
      "noon",
      "ISO 8601 timestamp",
      "actions[0].timestamp must be a valid ISO 8601 timestamp",
    ],
    [
      "checkpoints that are no array",
      { checkpoints: "all" },
      "checkpoints",
      "all",
      "type: array",
      "Checkpoints must be an array",
    ],
    [
      "a checkpoint without name",
      { checkpoints: [{ timestamp: checkpoint.timestamp }] },
      "checkpoints[0].name",
      null,
      "type: string",
      "checkpoints[0].name must be a string",
    ],
    [
      "a checkpoint without timestamp",
      { checkpoints: [{ name: "committed" }] },
      "checkpoints[0].timestamp",
      null,
      "ISO 8601 timestamp",
      "checkpoints[0].timestamp must be a valid ISO 8601 timestamp",
    ],
    [
      "a checkpoint state that is no object",
      { checkpoints: [{ ...checkpoint, state: 7 }] },
      "checkpoints[0].state",
      7,
      "type: object",
      "checkpoints[0].state must be an object",
    ],
    [
      "outcomes that are no array",
      { outcomes: {} },
      "outcomes",
      {},
      "type: array",
      "Outcomes must be an array",
    ],
    [
      "an outcome without type",
      { outcomes: [{ id: "FU-061" }] },
      "outcomes[0].type",
      null,
      "type: string",
      "outcomes[0].type must be a string",
    ],
    [
      "an outcome whose id is no text",
      { outcomes: [{ type: "released", id: 61 }] },
      "outcomes[0].id",
      61,
      "type: string",
      "outcomes[0].id must be a string",
    ],
    [
      "no duration at all",
      { duration: 0 },
      "duration",
      0,
      "positive number",
      "duration must be a positive number",
    ],
    [
      "a negative duration",
      { duration: -1 },
      "duration",
      -1,
      "positive number",
      "duration must be a positive number",
    ],
    [
      "a duration in words",
      { duration: "1 hour" },
      "duration",
      "1 hour",
      "positive number",
      "duration must be a positive number",
    ],
    [
      "no started_at",
      { started_at: undefined },
      "started_at",
      null,
      "ISO 8601 timestamp",
      "started_at must be a valid ISO 8601 timestamp",
    ],
    [
      "a started_at that is a number",
      { started_at: 1767178800 },
      "started_at",
      1767178800,
      "ISO 8601 timestamp",
      "started_at must be a valid ISO 8601 timestamp",
    ],
    [
      "a started_at in another notation",
      { started_at: "31 Dec 2025 11:00" },
      "started_at",
      "31 Dec 2025 11:00",
      "ISO 8601 timestamp",
      "started_at must be a valid ISO 8601 timestamp",
    ],
    [
      "a month that no year has",
      { started_at: "2025-13-01T11:00:00Z" },
      "started_at",
      "2025-13-01T11:00:00Z",
      "ISO 8601 timestamp",
      "started_at must be a valid ISO 8601 timestamp",
    ],
    [
      "a day that its month does not have",
      { started_at: "2025-02-30T11:00:00Z" },
      "started_at",
      "2025-02-30T11:00:00Z",
      "ISO 8601 timestamp",
      "started_at must be a valid ISO 8601 timestamp",
    ],
    [
      "an ended_at that is no time",
      { ended_at: "soon" },
      "ended_at",
      "soon",
      "ISO 8601 timestamp",
      "ended_at must be a valid ISO 8601 timestamp",
    ],
    [
      "an end before the start",
      { ended_at: "2025-12-31T10:59:59Z" },
      "ended_at",
      "2025-12-31T10:59:59Z",
      ">= started_at",
      "ended_at must be >= started_at",
    ],
  ])(
    "of %s names field, value, expectation and reason",
    (_, change, field, value, expected, message) => {
      expect(validateObservation({ ...MINIMAL, ...change })).toStrictEqual({
        error: "schema_validation_failed",
        details: { field, value, expected, message },
      });
    },
  );

  it.each([[null], [undefined], ["abc123"], [42], [[MINIMAL]]])(
    "of %j, which is not an object",
    (input) => {
      expect(validateObservation(input)).toMatchObject({
        error: "schema_validation_failed",
        details: { expected: "type: object", message: "The payload must be an object" },
      });
    },
  );
});

describe("an accepted payload", () => {
  it.each([
    ["any non-empty result", { actions: [{ type: "deploy", result: "3 of 4 nodes" }] }],
    ["an end at the start", { ended_at: "2025-12-31T11:00:00Z" }],
    ["an end at the start in another zone", { ended_at: "2025-12-31T12:00:00+01:00" }],
    ["a session_id of 5 characters", { session_id: "abcde" }],
    ["a session_id of 128 characters", { session_id: "a".repeat(128) }],
    ["fractions of a second", { started_at: "2025-12-31T11:00:00.123Z" }],
    ["a leap day", { started_at: "2024-02-29T11:00:00Z" }],
  ])("%s", (_, change) => {
    const payload = { ...MINIMAL, ...change };
    expect(validateObservation(payload)).toMatchObject({ observation: payload });
  });

  it("treats an absent field like an empty one", () => {
    const empty = { checkpoints: null, outcomes: null, duration: null, ended_at: null };
    expect(validateObservation({ ...MINIMAL, ...empty })).toEqual({
      observation: MINIMAL,
      warnings: [],
    });
  });
});

describe("an inconsistency is a warning", () => {
  const at = (timestamp: string) => ({ checkpoints: [{ name: "early", timestamp }] });

  it.each<[string, object, string[]]>([
    [
      "a duration that is not end minus start",
      { duration: 60 },
      ["duration 60 does not match ended_at - started_at (3600)"],
    ],
    [
      "a checkpoint before the start",
      at("2025-12-31T10:59:59Z"),
      ["checkpoint early (2025-12-31T10:59:59Z) is not between started_at and ended_at"],
    ],
    [
      "a checkpoint after the end",
      at("2025-12-31T12:00:01Z"),
      ["checkpoint early (2025-12-31T12:00:01Z) is not between started_at and ended_at"],
    ],
    ["a checkpoint at the start: none", at("2025-12-31T11:00:00Z"), []],
    ["a checkpoint at the end: none", at("2025-12-31T12:00:00Z"), []],
    [
      "a checkpoint after the start of what has no end: none",
      { ended_at: undefined, duration: 60 },
      [],
    ],
    [
      "each of several",
      { duration: 60, ...at("2025-12-31T10:00:00Z") },
      [
        "duration 60 does not match ended_at - started_at (3600)",
        "checkpoint early (2025-12-31T10:00:00Z) is not between started_at and ended_at",
      ],
    ],
  ])("%s", (_, change, warnings) => {
    expect(validateObservation({ ...COMPLETE, ...change })).toMatchObject({ warnings });
  });
});
