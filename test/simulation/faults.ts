import type { Disk } from "./disk.ts";

interface Moment {
  /** The call of the process whose turn it is. */
  readonly call: string;
  readonly disk: Disk;
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
export type FaultName = (typeof FAULTS)[number];

/** The seed decides the fault, so that one number names a world. */
export function drawFault(random: (bound: number) => number, seed: number): Fault {
  const name = FAULTS[seed % FAULTS.length] ?? "none";
  const rounds = name === "none" || name === "freeze" ? 1 : 2 + random(2);
  const strikes: Record<FaultName, Fault["strike"][]> = {
    none: [],
    kill: [killer(2 + random(3))],
    freeze: [freezer(1 + random(3))],
    swap: [swapper(random)],
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

/** Another program removes a file or puts an older version in its place: mostly of the commits. */
function swapper(random: Moment["random"]): Fault["strike"] {
  const name = SWAPPED[random(8)] ?? "commits.ndjson";
  let older: { readonly path: string; readonly bytes: Buffer } | null = null;
  let isDone = false;
  return (moment) => {
    if (isDone || !isDue(moment, 60)) return null;
    const { disk } = moment;
    const paths = [...disk.files()].filter((file) => file.endsWith(`/${name}`));
    const path = older?.path ?? paths[random(paths.length)] ?? "";
    const bytes = disk.contents(path);
    if (!bytes || bytes.length === 0) return null;
    if (!older || random(3) === 0) {
      older = { path, bytes };
      return null;
    }
    if (older.bytes.equals(bytes)) return null;
    isDone = true;
    const how = random(4);
    if (how === 0) disk.unlink(path);
    else disk.place(path, older.bytes, how === 1);
    const what = ["is removed", "is replaced by an older one"][how] ?? "gets an older content";
    return { kind: "swap", what: `${path} ${what}` };
  };
}

const SWAPPED = ["log.ndjson", "state.ndjson", "index.json", "anchor.txt", "leases.ndjson"];

const CHANGES = new Set(["write", "resize", "rename", "link", "unlink", "mkdir", "sync"]);
