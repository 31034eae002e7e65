import type { MemoryBacking } from "../../../src/store/memory/memory-backing.ts";
import { createBacking } from "../../../src/store/memory/memory-backing.ts";
import type { Acknowledged, Effect, Outside } from "../outside.ts";

/** A machine that exists only while a scenario runs: its disk, its clock, its processes, and the world around it. */
export interface Machine {
  readonly disk: MemoryBacking;
  readonly dead: Set<number>;
  readonly acknowledged: Acknowledged[];
  readonly effects: Effect[];
  readonly outside: Outside;
  clock: number;
  ids: number;
  processes: number;
}

/** The running process; code that asks for its own identity gets this one. */
export const now: { machine: Machine; process: number } = { machine: newMachine(), process: 0 };

export function newMachine(): Machine {
  const effects: Effect[] = [];
  const acknowledged: Acknowledged[] = [];
  return {
    disk: createBacking(),
    dead: new Set(),
    acknowledged,
    effects,
    outside: {
      effect: (name, key) => void effects.push({ name, key }),
      acknowledge: (one) => void acknowledged.push(one),
      undoCommand: (name) => `undo ${name}`,
    },
    clock: Date.parse("2026-01-08T18:00:00Z"),
    ids: 0,
    processes: 0,
  };
}
