import type { Disk } from "./disk.ts";

interface Moment {
  /** The call of the process whose turn it is. */
  readonly call: string;
  readonly disk: Disk;
  readonly folder: string;
  readonly random: (bound: number) => number;
}

export type Strike =
  | { readonly kind: "kill" | "cut" | "swap"; readonly what: string }
  | { readonly kind: "freeze"; readonly what: string; readonly ms: number };

/** What goes wrong in one world, and when. */
export interface Fault {
  readonly name: FaultName;
  /** How often the processes start again. */
  readonly rounds: number;
  /** Called before each answer. Null if nothing happens. */
  strike(moment: Moment): Strike | null;
}

export const FAULTS = ["none", "kill", "freeze", "swap", "cut", "all"] as const;
type FaultName = (typeof FAULTS)[number];

/** The seed decides the fault, so that one number names a world. */
export function drawFault(random: (bound: number) => number, seed: number): Fault {
  const name = FAULTS[seed % FAULTS.length] ?? "none";
  const rounds = name === "none" || name === "freeze" ? 1 : 2 + random(2);
  const strikes: Record<FaultName, Fault["strike"][]> = {
    none: [],
    kill: [killer(2 + random(3))],
    freeze: [freezer(1 + random(3))],
    swap: [swapper()],
    cut: [cutter(1 + random(2))],
    all: [killer(random(3)), freezer(random(3)), cutter(1 + random(2))],
  };
  const chosen = strikes[name];
  return {
    name,
    rounds,
    strike(moment) {
      for (const strike of chosen) {
        const struck = strike(moment);
        if (struck) return struck;
      }
      return null;
    },
  };
}

/** Calls at which a fault does most harm are drawn more often. */
function isDue({ call, random }: Moment, often: number): boolean {
  const isChange = CHANGES.has(call);
  return random(isChange ? often : often * 8) === 0;
}

function killer(times: number): Fault["strike"] {
  let left = times;
  return (moment) => {
    if (left === 0 || !isDue(moment, 60)) return null;
    left -= 1;
    return { kind: "kill", what: "" };
  };
}

function freezer(times: number): Fault["strike"] {
  let left = times;
  return (moment) => {
    if (left === 0 || !isDue(moment, 50)) return null;
    left -= 1;
    const ms = 1000 * (1 + moment.random(146));
    return { kind: "freeze", what: `for ${ms / 1000} s`, ms };
  };
}

function cutter(times: number): Fault["strike"] {
  let left = times;
  return (moment) => {
    if (left === 0 || !isDue(moment, 120)) return null;
    left -= 1;
    return { kind: "cut", what: "" };
  };
}

/** Another program puts an older version of a file in its place. */
function swapper(): Fault["strike"] {
  let older: { readonly path: string; readonly bytes: Buffer } | null = null;
  let isDone = false;
  return (moment) => {
    if (isDone || !isDue(moment, 60)) return null;
    const { disk, folder, random } = moment;
    const path = `${folder}/commits.ndjson`;
    const bytes = disk.contents(path);
    if (!bytes || bytes.length === 0) return null;
    if (!older || random(3) === 0) {
      older = { path, bytes };
      return null;
    }
    if (older.bytes.equals(bytes)) return null;
    isDone = true;
    const how = random(4);
    if (how === 0) {
      disk.unlink(path);
      return { kind: "swap", what: "commits.ndjson is removed" };
    }
    disk.place(path, older.bytes, how === 1);
    const where = how === 1 ? "as another file" : "in place";
    return { kind: "swap", what: `commits.ndjson becomes an older version ${where}` };
  };
}

const CHANGES = new Set(["write", "resize", "rename", "link", "unlink", "mkdir", "sync"]);
