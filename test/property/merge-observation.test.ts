import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Observation } from "../../src/contract/observation.ts";
import type { NewRow } from "../../src/contract/stream.ts";
import { mergeObservation, outcomeKey } from "../../src/core/observation/merge-observation.ts";
import { mergedEntity } from "../core/merged-entity.ts";
import { knownFor } from "../core/session-log.ts";
import { anyObservation } from "./arbitrary-observation.ts";
import { canPairAll } from "./pairing.ts";

const several = fc.array(anyObservation, { minLength: 1, maxLength: 5 });

function submit(observations: readonly Observation[], before: readonly NewRow[] = []): NewRow[] {
  const rows = [...before];
  for (const observation of observations) {
    const seq = (rows.at(-1)?.seq ?? 0) + 1;
    rows.push(...mergeObservation(observation, knownFor(rows, observation), seq));
  }
  return rows;
}

describe("merging observations", () => {
  it("never loses an action: each has its own row, with all its fields", () => {
    fc.assert(
      fc.property(several, (observations) => {
        const { actions } = mergedEntity(submit(observations));
        for (const observation of observations) {
          expect(canPairAll(observation.actions, actions, matches)).toBe(true);
        }
      }),
      { numRuns: 500 },
    );
  });

  it("never loses a field of a checkpoint: the newest value wins", () => {
    fc.assert(
      fc.property(several, (observations) => {
        const said = observations.flatMap((observation) => observation.checkpoints ?? []);
        const { checkpoints } = mergedEntity(submit(observations));
        expect(checkpoints).toEqual(lastWords(said, (checkpoint) => checkpoint.name));
      }),
      { numRuns: 500 },
    );
  });

  it("never loses a field of an outcome: the newest value wins", () => {
    fc.assert(
      fc.property(several, (observations) => {
        const said = observations.flatMap((observation) => observation.outcomes ?? []);
        const { outcomes } = mergedEntity(submit(observations));
        const key = (outcome: (typeof said)[number]) =>
          outcome.id === undefined ? JSON.stringify(sorted(outcome)) : outcomeKey(outcome);
        expect(outcomes).toEqual(lastWords(said, key));
      }),
      { numRuns: 500 },
    );
  });

  it("adds nothing if the same is submitted twice", () => {
    fc.assert(
      fc.property(several, anyObservation, (observations, again) => {
        const rows = submit([...observations, again]);
        expect(meaning(submit([again], rows))).toEqual(meaning(rows));
      }),
      { numRuns: 2000 },
    );
  });

  it("adds no action if earlier observations are repeated, in any order", () => {
    const reordered = several.chain((observations) =>
      fc.tuple(
        fc.constant(observations),
        fc.tuple(...observations.map(shuffled)).chain(fc.shuffledSubarray),
      ),
    );
    fc.assert(
      fc.property(reordered, ([observations, again]) => {
        const rows = submit(observations);
        expect(meaning(submit(again, rows)).actions).toEqual(meaning(rows).actions);
      }),
      { numRuns: 2000 },
    );
  });

  it("has each item exactly once", () => {
    fc.assert(
      fc.property(anyObservation, fc.integer({ min: 1, max: 4 }), (observation, times) => {
        const { actions, checkpoints, outcomes } = mergedEntity(
          submit(Array.from({ length: times }, () => observation)),
        );
        expect(actions).toEqual(observation.actions);
        expect(isDistinct(checkpoints.map(({ name }) => name))).toBe(true);
        expect(isDistinct(outcomes.map((outcome) => JSON.stringify(sorted(outcome))))).toBe(true);
      }),
      { numRuns: 500 },
    );
  });

  it("opens every row once and patches only what is there", () => {
    fc.assert(
      fc.property(several, (observations) => {
        const opened = new Set<string>();
        for (const { kind, place, nth, seq } of submit(observations)) {
          const id = `${kind} ${place} ${nth}`;
          expect(opened.has(id)).toBe(place !== seq);
          opened.add(id);
        }
      }),
      { numRuns: 300 },
    );
  });

  it("does not change its input", () => {
    fc.assert(
      fc.property(several, (observations) => {
        submit(observations);
        expect(Object.keys(Object.prototype)).toEqual([]);
        expect("x" in {} || "y" in {} || "z" in {}).toBe(false);
      }),
      { numRuns: 200 },
    );
  });
});

/** The merged result, whatever notation its times have. */
function meaning(rows: readonly NewRow[]) {
  const { actions, ...rest } = mergedEntity(rows);
  const instant = ({ timestamp, ...action }: Data) =>
    timestamp === undefined ? action : { ...action, at: Date.parse(String(timestamp)) };
  return { actions: actions.map(instant), ...rest };
}

type Data = Readonly<Record<string, unknown>>;

/** True if the row contains everything in the action. */
function matches(row: Data, action: Observation["actions"][number]): boolean {
  const { type, result, timestamp, details } = action;
  if (row.type !== type || row.result !== result) return false;
  if (timestamp !== undefined && Date.parse(String(row.timestamp)) !== Date.parse(timestamp)) {
    return false;
  }
  const kept = new Map(Object.entries(Object(row.details)));
  return Object.entries(details ?? {}).every(
    ([key, value]) => JSON.stringify(kept.get(key)) === JSON.stringify(value),
  );
}

/** Items by key in the order of first mention, later fields over earlier ones, `state` and `details` key by key. */
function lastWords<T extends Data>(items: readonly T[], keyOf: (item: T) => string): Data[] {
  const words = new Map<string, Data>();
  for (const item of items) {
    const key = keyOf(item);
    const before = words.get(key) ?? {};
    const joined = Object.entries(item).map(([field, value]) => {
      if (field !== "state" && field !== "details") return [field, value];
      const all = new Map([
        ...Object.entries(Object(before[field])),
        ...Object.entries(Object(value)),
      ]);
      return [field, Object.fromEntries(all)];
    });
    words.set(key, { ...before, ...Object.fromEntries(joined) });
  }
  return [...words.values()];
}

function shuffled(observation: Observation): fc.Arbitrary<Observation> {
  const { actions } = observation;
  const length = { minLength: actions.length, maxLength: actions.length };
  return fc
    .shuffledSubarray(actions, length)
    .map((inOtherOrder) => ({ ...observation, actions: inOtherOrder }));
}

function sorted(data: object): unknown {
  return Object.entries(data)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, value]) => [key, value === Object(value) ? sorted(value) : value]);
}

function isDistinct(values: readonly unknown[]): boolean {
  return new Set(values).size === values.length;
}
