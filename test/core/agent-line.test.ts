import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  type AgentUse,
  freeSlots,
  lineUp,
  mostAgents,
  nextInLine,
  refuseToWait,
  type Waiting,
} from "../../src/core/agent-line.ts";

const SLOTS = 5;
const NOBODY: AgentUse = { working: [], asking: [], line: [], served: [] };
const times = (count: number, owner: string) => Array.from({ length: count }, () => owner);
const wait = (owner: string, id: string, continues = false): Waiting => ({ id, owner, continues });

describe("the next session in line", () => {
  it("is the first one, if nobody has a slot", () => {
    const line = [wait("ann", "a1"), wait("bob", "b1"), wait("ann", "a2")];
    expect(lineUp({ ...NOBODY, line }).map(({ id }) => id)).toEqual(["a1", "b1", "a2"]);
  });

  it("is that of the owner with the fewest slots, however many sessions of another wait", () => {
    const many = Array.from({ length: 100 }, (_, nth) => wait("ann", `a${nth}`));
    const use = { ...NOBODY, working: times(4, "ann"), line: [...many, wait("bob", "b1")] };
    expect(nextInLine(use, SLOTS)?.id).toBe("b1");
    expect(nextInLine({ ...use, working: times(5, "ann") }, SLOTS)).toBeNull();
  });

  it("alternates between owners if there is one slot", () => {
    const line = [wait("ann", "a1"), wait("ann", "a2"), wait("bob", "b1"), wait("bob", "b2")];
    expect(lineUp({ ...NOBODY, line }).map(({ id }) => id)).toEqual(["a1", "b1", "a2", "b2"]);
    const served = ["bob", "ann"];
    expect(nextInLine({ ...NOBODY, line, served }, 1)?.id).toBe("b1");
  });

  it("is an agent that works already, before other sessions of its owner, and not before those of others", () => {
    const line = [wait("ann", "a1"), wait("ann", "a2", true), wait("bob", "b1")];
    const use = { ...NOBODY, working: times(1, "ann"), line };
    expect(lineUp(use).map(({ id }) => id)).toEqual(["b1", "a2", "a1"]);
  });

  it("comes in the order of the positions, whoever waits", () => {
    const owner = fc.constantFrom("ann", "bob", "cat", "dan");
    const waiting = fc.record({ owner, continues: fc.boolean() });
    fc.assert(
      fc.property(
        fc.array(owner, { maxLength: 4 }),
        fc.array(waiting, { maxLength: 12 }),
        fc.uniqueArray(owner),
        (working, all, served) => {
          const line = all.map((one, nth) => ({ ...one, id: `${nth}` }));
          let use: AgentUse = { working, asking: [], line, served };
          const positions = lineUp(use).map(({ id }) => id);
          const given: string[] = [];
          for (let next = nextInLine(use, 100); next; next = nextInLine(use, 100)) {
            const { id, owner } = next;
            given.push(id);
            use = {
              ...use,
              working: [...use.working, owner],
              line: use.line.filter((one) => one.id !== id),
              served: [...use.served.filter((one) => one !== owner), owner],
            };
          }
          expect(given).toEqual(positions);
        },
      ),
    );
  });
});

describe("agents that wait for a person", () => {
  it("take no slot", () => {
    const line = [wait("ann", "a1")];
    const use = { ...NOBODY, asking: times(SLOTS, "ann"), line };
    expect(nextInLine(use, SLOTS)?.id).toBe("a1");
    expect(refuseToWait(use, "ann", SLOTS)).toBeNull();
  });

  it("of one owner leave half of all places to others", () => {
    const use = { ...NOBODY, asking: times(mostAgents(SLOTS) / 2, "ann") };
    expect(refuseToWait(use, "ann", SLOTS)).toMatchObject({
      error: "agents_busy",
      message: expect.stringMatching(
        /^10 agents of ann wait .* Answer their questions, or suspend/,
      ),
    });
    const line = [wait("ann", "a1"), wait("bob", "b1")];
    expect(nextInLine({ ...use, line }, SLOTS)?.id).toBe("b1");
    expect(refuseToWait(use, "bob", SLOTS)).toBeNull();
  });

  it("never exceed all places, however many owners there are", () => {
    const owner = fc.integer({ min: 0, max: 9 }).map(String);
    fc.assert(
      fc.property(fc.array(owner, { maxLength: 200 }), (owners) => {
        let asking: readonly string[] = [];
        for (const one of owners) {
          const use = { ...NOBODY, asking, line: [wait(one, "x")] };
          const refused = refuseToWait(use, one, SLOTS);
          // Nothing works, so whoever does not start is refused.
          expect(refused === null).toBe(nextInLine(use, SLOTS) !== null);
          if (refused === null) asking = [...asking, one];
        }
        expect(asking.length).toBeLessThanOrEqual(mostAgents(SLOTS));
        expect(new Set(owners).size === 0 || asking.includes(owners[0] ?? "")).toBe(true);
      }),
    );
  });

  it("leave no room for sessions of other nodes if they have all places", () => {
    expect(freeSlots({ ...NOBODY, asking: times(17, "ann") }, SLOTS)).toBe(3);
    expect(freeSlots({ ...NOBODY, asking: times(20, "ann") }, SLOTS)).toBe(0);
    const line = [wait("ann", "a1"), wait("bob", "b1", true)];
    expect(freeSlots({ ...NOBODY, working: times(2, "ann"), line }, SLOTS)).toBe(2);
  });

  it("refuse nobody while an agent works that may make room", () => {
    const asking = times(9, "ann");
    expect(refuseToWait({ ...NOBODY, asking, working: ["ann"] }, "ann", SLOTS)).toBeNull();
    const full = { ...NOBODY, asking: [...times(10, "ann"), ...times(9, "bob")] };
    expect(refuseToWait({ ...full, working: ["bob"] }, "cat", SLOTS)).toBeNull();
    expect(refuseToWait({ ...full, asking: [...full.asking, "bob"] }, "cat", SLOTS)).toMatchObject({
      error: "agents_busy",
      message: expect.stringContaining("All 20 agents wait"),
    });
  });
});

it("a line of one owner has an end", () => {
  const line = Array.from({ length: 1000 }, (_, nth) => wait("ann", `${nth}`));
  const use = { ...NOBODY, working: times(SLOTS, "bob"), line };
  expect(refuseToWait(use, "ann", SLOTS)).toMatchObject({ error: "agents_busy" });
  expect(refuseToWait(use, "bob", SLOTS)).toBeNull();
});
