import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Output } from "../../src/contract/operations.ts";
import { verifyStreams } from "../../src/service/verify-streams.ts";
import { onMemory } from "../service/on-memory.ts";

const ORIGIN = "origin";
const SIDES = [ORIGIN, "fork-a", "fork-b"] as const;

/** Work of one side, or a merge of one side into another. */
const anyStep = fc.oneof(
  { weight: 5, arbitrary: step("turn") },
  { weight: 4, arbitrary: step("metadata") },
  { weight: 2, arbitrary: step("list") },
  { weight: 2, arbitrary: step("checkpoint") },
  { weight: 2, arbitrary: step("artifact") },
  { weight: 2, arbitrary: step("outcome") },
  { weight: 4, arbitrary: step("merge") },
);

function step<const K extends string>(kind: K) {
  return fc.record({
    kind: fc.constant(kind),
    side: fc.nat({ max: 2 }),
    other: fc.nat({ max: 2 }),
    key: fc.constantFrom("a", "b", "c"),
    rule: fc.constantFrom("ours", "theirs"),
  });
}

type Belay = ReturnType<typeof onMemory>;

/** All visible work of a session, with the values that a merge did not choose. */
async function readAll({ service, caller }: Belay, id: string) {
  const call = service.call.bind(service);
  const said = await readTurns(service, caller, { id, after: 0, to: Number.MAX_SAFE_INTEGER - 1 });
  const { artifacts } = await call("list_artifacts", { id, limit: 1000 }, caller);
  const { checkpoints } = await call("list_checkpoints", { id, limit: 1000 }, caller);
  const { sessions } = await call("history", { session_id: id }, caller);
  const { metadata }: Output<"get"> = await call("get", { id }, caller);
  const { events } = await call("log", { id, limit: 1000 }, caller);
  const covered = SIDES.filter((side) => JSON.stringify(events).includes(`"session_id":"${side}"`));
  const logs = await Promise.all(
    covered.map((side) => call("log", { id: side, limit: 1000 }, caller)),
  );
  return {
    turns: new Set(said),
    artifacts: artifacts.map(({ name }) => name),
    checkpoints: checkpoints.map(({ checkpoint_id }) => checkpoint_id),
    outcomes: (sessions[0]?.snapshot.outcomes ?? []).map((outcome) => outcome.id),
    // A replaced value is in the log, or in the log that a merge points to.
    values: JSON.stringify([metadata, events, logs]),
    metadata,
  };
}

/** The turns of a merge are read from their own log. */
async function readTurns(
  service: Belay["service"],
  caller: Belay["caller"],
  { id, after, to }: { id: string; after: number; to: number },
): Promise<string[]> {
  const { turns } = await service.call("turns", { id, before: to + 1, limit: 1000 }, caller);
  const said = turns
    .filter(({ seq }) => seq > after)
    .map(async ({ input, merged }) => {
      if (!merged) return [input];
      return readTurns(service, caller, { ...merged, id: merged.entity_id });
    });
  return (await Promise.all(said)).flat();
}

describe("a merge", () => {
  it("loses nothing of either side, and adds nothing the second time", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(anyStep, { minLength: 3, maxLength: 14 }), async (steps) => {
        const belay = onMemory();
        const { service, caller } = belay;
        await service.call("create", { agent_name: "demo", session_id: ORIGIN }, caller);
        for (const session_id of SIDES.slice(1)) {
          await service.call("fork", { id: ORIGIN, session_id }, caller);
        }
        for (const [n, { kind, side, other, key, rule }] of steps.entries()) {
          const id = SIDES[side] ?? ORIGIN;
          const name = `${kind}-${n}`;
          if (kind === "turn") {
            await service.call("record_turn", { id, input: name, output: "done" }, caller);
          } else if (kind === "metadata") {
            await service.call("update", { id, metadata: { [key]: name } }, caller);
          } else if (kind === "list") {
            const { metadata } = await service.call("get", { id }, caller);
            const list = Array.isArray(metadata.list) ? metadata.list : [];
            await service.call("update", { id, metadata: { list: [...list, name] } }, caller);
          } else if (kind === "checkpoint") {
            await service.call("save_checkpoint", { id, name: key, state: { n } }, caller);
          } else if (kind === "artifact") {
            await service.call("record_artifact", { id, name }, caller);
          } else if (kind === "outcome") {
            await service.call("record_outcome", { id, type: "made", outcome_id: name }, caller);
          } else if (side !== other) {
            await mergeAndCheck(belay, SIDES[other] ?? ORIGIN, id, rule);
          }
        }
        await mergeAndCheck(belay, "fork-a", ORIGIN, "ours");
        await mergeAndCheck(belay, "fork-b", ORIGIN, "theirs");
        for await (const finding of verifyStreams(belay.store)) expect(finding).toBeUndefined();
      }),
      { numRuns: 40 },
    );
  });
});

async function mergeAndCheck(belay: Belay, from: string, into: string, rule: "ours" | "theirs") {
  const { service, caller } = belay;
  const theirs = await readAll(belay, from);
  const ours = await readAll(belay, into);
  await service.call("merge", { id: from, into, rule }, caller);
  const both = await readAll(belay, into);
  for (const side of [ours, theirs]) {
    expect([...both.turns]).toEqual(expect.arrayContaining([...side.turns]));
    expect(both.artifacts).toEqual(expect.arrayContaining(side.artifacts));
    expect(both.checkpoints).toEqual(expect.arrayContaining(side.checkpoints));
    expect(both.outcomes).toEqual(expect.arrayContaining(side.outcomes));
    for (const [key, value] of Object.entries(side.metadata)) {
      if (key !== "list") expect(both.values).toContain(JSON.stringify(value));
      else expect(both.metadata.list).toEqual(expect.arrayContaining([value].flat()));
    }
  }
  // Each name once: items that came by two ways are the same.
  expect(new Set(both.artifacts).size).toBe(both.artifacts.length);
  expect(new Set(both.checkpoints).size).toBe(both.checkpoints.length);
  const { version } = await service.call("get", { id: into }, caller);
  const again = await service.call("merge", { id: from, into, rule }, caller);
  expect(again.merge.added).toBe(false);
  expect(again.version).toBe(version);
}
