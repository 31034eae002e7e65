/** The amount of work of a run. The sizes that a bar names stay the same in a quick run, except `sessions`. */
export interface Scale {
  readonly name: "full" | "quick";
  readonly append: { readonly rounds: number; readonly turns: number };
  /** Long enough that the rounds contain SQLite's checkpoints, which every lasting load needs. */
  readonly concurrent: { readonly rounds: number; readonly turnsEach: number };
  readonly growth: { readonly rounds: number };
  readonly resume: { readonly rounds: number; readonly calls: number };
  readonly fork: { readonly rounds: number; readonly calls: number };
  readonly list: { readonly rounds: number; readonly calls: number; readonly sessions: number };
  /** Rounds of hooks, and of programs that load all sources, which takes most of their time. */
  readonly processRounds: number;
  readonly coldRounds: number;
  readonly claimRounds: number;
  /** The time of each load of a server, and of the load before the first round. */
  readonly load: { readonly ms: number; readonly warmMs: number };
  /** The pieces of an answer for one reader and for a crowd. */
  readonly pieces: { readonly one: number; readonly crowd: number };
  /** How long a server is left idle. A minute contains each of its chores, and after three the engine has returned its memory. */
  readonly idleMs: number;
  readonly sideBySide: { readonly turns: number; readonly sessions: number };
}

export const scales = {
  full: {
    name: "full",
    append: { rounds: 21, turns: 300 },
    concurrent: { rounds: 15, turnsEach: 48 },
    growth: { rounds: 9 },
    resume: { rounds: 21, calls: 40 },
    fork: { rounds: 15, calls: 20 },
    list: { rounds: 21, calls: 60, sessions: 1_000_000 },
    processRounds: 40,
    coldRounds: 21,
    claimRounds: 5,
    load: { ms: 1500, warmMs: 6000 },
    pieces: { one: 300, crowd: 100 },
    idleMs: 180_000,
    sideBySide: { turns: 2_000, sessions: 10_000 },
  },
  quick: {
    name: "quick",
    append: { rounds: 7, turns: 200 },
    concurrent: { rounds: 5, turnsEach: 24 },
    growth: { rounds: 3 },
    resume: { rounds: 7, calls: 20 },
    fork: { rounds: 5, calls: 10 },
    list: { rounds: 7, calls: 40, sessions: 50_000 },
    processRounds: 10,
    coldRounds: 5,
    claimRounds: 3,
    load: { ms: 400, warmMs: 1500 },
    pieces: { one: 100, crowd: 30 },
    idleMs: 5_000,
    sideBySide: { turns: 500, sessions: 1_000 },
  },
} as const satisfies Record<string, Scale>;
