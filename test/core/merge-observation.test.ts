import { describe, expect, it } from "vitest";
import type { Observation } from "../../src/contract/observation.ts";
import type { NewRow } from "../../src/contract/stream.ts";
import { mergeObservation } from "../../src/core/observation/merge-observation.ts";
import { COMPLETE, MINIMAL, RECORDED, RECORDED_UPDATE, UPDATE } from "./document-payload.ts";
import { mergedEntity } from "./merged-entity.ts";
import { knownFor } from "./session-log.ts";

/** The rows after submitting these observations in order. */
function submit(...observations: Observation[]): NewRow[] {
  const rows: NewRow[] = [];
  observations.forEach((observation, nth) => {
    rows.push(...mergeObservation(observation, knownFor(rows, observation), nth + 1));
  });
  return rows;
}

function acting(...actions: Observation["actions"]): Observation {
  return { ...MINIMAL, actions };
}

const committed = { name: "committed", timestamp: "2025-12-31T11:45:00Z" };

describe("the document's examples", () => {
  it("the complete example equals its merged entity", () => {
    const { actions, checkpoints, outcomes } = COMPLETE;
    expect(mergedEntity(submit(COMPLETE))).toEqual({ actions, checkpoints, outcomes });
  });

  it("the update adds a checkpoint to the complete example and loses nothing", () => {
    expect(mergedEntity(submit(COMPLETE, UPDATE))).toEqual({
      actions: [
        {
          type: "create_feature_unit",
          result: "success",
          details: { feature_unit_id: "FU-061" },
          timestamp: "2025-12-31T11:15:00Z",
        },
        {
          type: "run_tests",
          result: "passed",
          details: { test_count: 42, pass_count: 42 },
          timestamp: "2025-12-31T11:30:00Z",
        },
        {
          type: "commit",
          result: "success",
          details: { commit_sha: "abc123def" },
          timestamp: "2025-12-31T11:45:00Z",
        },
      ],
      checkpoints: [
        {
          name: "spec_complete",
          state: { feature_unit_id: "FU-061", status: "planning" },
          timestamp: "2025-12-31T11:15:00Z",
        },
        {
          name: "tests_passing",
          state: { feature_unit_id: "FU-061", status: "in_progress" },
          timestamp: "2025-12-31T11:30:00Z",
        },
        { name: "committed", timestamp: "2025-12-31T11:45:00Z" },
      ],
      outcomes: [
        {
          type: "feature_unit_created",
          id: "FU-061",
          details: { description: "Add sources table" },
        },
      ],
    });
  });

  it("the complete example fills in the update", () => {
    const { actions, checkpoints, outcomes } = COMPLETE;
    expect(mergedEntity(submit(UPDATE, COMPLETE))).toEqual({
      actions,
      checkpoints: [...checkpoints, committed],
      outcomes,
    });
  });

  it("the usage example grows by one action and one checkpoint", () => {
    const { actions, checkpoints } = mergedEntity(submit(RECORDED, RECORDED_UPDATE));
    expect(actions).toEqual([...RECORDED.actions, { type: "commit", result: "success" }]);
    expect(checkpoints.map(({ name }) => name)).toEqual(["spec_complete", "committed"]);
  });

  it("all five examples in a row leave three actions, three checkpoints and one outcome", () => {
    const merged = mergedEntity(submit(MINIMAL, RECORDED, UPDATE, COMPLETE, RECORDED_UPDATE));
    expect(merged.actions.map(({ type }) => type)).toEqual([
      "create_feature_unit",
      "run_tests",
      "commit",
    ]);
    expect(merged.checkpoints).toHaveLength(3);
    expect(merged.outcomes).toHaveLength(1);
  });
});

describe("a submitted action", () => {
  const tests = { type: "run_tests", result: "passed" };
  const at = (timestamp: string) => ({ ...tests, timestamp });
  const counting = (details: Record<string, unknown>) => ({ ...tests, details });

  it.each<[string, Observation["actions"], Observation["actions"], Observation["actions"]]>([
    ["is the stored one it equals", [tests], [tests], [tests]],
    [
      "fills in a time that was missing",
      [tests],
      [at("2025-12-31T11:30:00Z")],
      [at("2025-12-31T11:30:00Z")],
    ],
    [
      "keeps a time that it does not repeat",
      [at("2025-12-31T11:30:00Z")],
      [tests],
      [at("2025-12-31T11:30:00Z")],
    ],
    [
      "of another time is another action",
      [at("2025-12-31T11:30:00Z")],
      [at("2025-12-31T11:40:00Z")],
      [at("2025-12-31T11:30:00Z"), at("2025-12-31T11:40:00Z")],
    ],
    [
      "of another type is another action",
      [tests],
      [{ type: "commit", result: "passed" }],
      [tests, { type: "commit", result: "passed" }],
    ],
    [
      "with details that contradict is another action",
      [counting({ test_count: 42 })],
      [counting({ test_count: 43 })],
      [counting({ test_count: 42 }), counting({ test_count: 43 })],
    ],
    [
      "with further details adds them",
      [counting({ test_count: 42 })],
      [counting({ pass_count: 41 })],
      [counting({ test_count: 42, pass_count: 41 })],
    ],
    ["beyond those stored is appended", [tests], [tests, tests], [tests, tests]],
    [
      "matches the next unmatched one",
      [tests, tests],
      [at("2025-12-31T11:30:00Z"), at("2025-12-31T11:40:00Z")],
      [at("2025-12-31T11:30:00Z"), at("2025-12-31T11:40:00Z")],
    ],
    [
      "that says less leaves a place to one that says the same",
      [counting({ test_count: 42 }), tests],
      [tests, counting({ test_count: 42 })],
      [counting({ test_count: 42 }), tests],
    ],
  ])("%s", (_, stored, submitted, merged) => {
    expect(mergedEntity(submit(acting(...stored), acting(...submitted))).actions).toEqual(merged);
  });

  it("is one action if its time is written in two notations", () => {
    const both = submit(
      acting(at("2025-12-31T11:30:00Z")),
      acting(at("2025-12-31T12:30:00+01:00")),
    );
    expect(mergedEntity(both).actions).toHaveLength(1);
  });
});

describe("a submitted checkpoint", () => {
  const with_ = (...checkpoints: NonNullable<Observation["checkpoints"]>): Observation => ({
    ...MINIMAL,
    checkpoints,
  });

  it("is identified by its name: later fields win, missing fields stay", () => {
    const first = { ...committed, state: { sha: "a", clean: true } };
    const second = { name: "committed", timestamp: "2025-12-31T11:50:00Z", state: { sha: "b" } };
    expect(mergedEntity(submit(with_(first), with_(second))).checkpoints).toEqual([
      { name: "committed", timestamp: "2025-12-31T11:50:00Z", state: { sha: "b", clean: true } },
    ]);
  });

  it("is one if it is named twice in one submission", () => {
    const twice = with_(committed, { ...committed, state: { sha: "a" } });
    expect(mergedEntity(submit(twice)).checkpoints).toEqual([
      { ...committed, state: { sha: "a" } },
    ]);
  });
});

describe("a submitted outcome", () => {
  const with_ = (...outcomes: NonNullable<Observation["outcomes"]>): Observation => ({
    ...MINIMAL,
    outcomes,
  });
  const merged = (...observations: Observation[]) => mergedEntity(submit(...observations)).outcomes;

  it("is identified by type and id", () => {
    const created = { type: "created", id: "FU-061" };
    const released = { type: "released", id: "FU-061" };
    expect(merged(with_(created, released), with_({ ...created, details: { by: "ada" } }))).toEqual(
      [{ ...created, details: { by: "ada" } }, released],
    );
  });

  it("without an id is the same only if it is deeply equal", () => {
    const note = { type: "note", details: { text: ["a", { b: 1 }] } };
    const other = { type: "note", details: { text: ["a", { b: 2 }] } };
    expect(merged(with_(note), with_(note), with_(other), with_(other))).toEqual([note, other]);
  });
});

describe("keys that are special in JavaScript", () => {
  const hostile: unknown = JSON.parse(
    '{"__proto__": {"polluted": true}, "constructor": 1, "x": 1}',
  );
  const details = Object.fromEntries(Object.entries({ ...Object(hostile) }));

  it("are ordinary data", () => {
    const action = { type: "run_tests", result: "passed", details };
    const rows = submit(acting(action), acting(action), {
      ...MINIMAL,
      checkpoints: [{ ...committed, state: details }],
      outcomes: [{ type: "note", id: "__proto__", details }],
    });
    const merged = mergedEntity(rows);
    expect(merged.actions.filter(({ type }) => type === "run_tests")).toHaveLength(1);
    expect(JSON.stringify(merged.actions[0])).toContain('"__proto__":{"polluted":true}');
    expect("polluted" in {}).toBe(false);
  });
});
