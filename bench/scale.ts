/** The amount of work of a run. The sizes that a bar names stay the same in a quick run, except `sessions`. */
export interface Scale {
  readonly name: "full" | "quick";
  readonly append: { readonly rounds: number; readonly turns: number };
  readonly concurrent: { readonly rounds: number; readonly turnsEach: number };
  readonly growth: { readonly rounds: number };
  readonly resume: { readonly rounds: number; readonly calls: number };
  readonly fork: { readonly rounds: number; readonly calls: number };
  readonly list: { readonly rounds: number; readonly calls: number; readonly sessions: number };
  readonly processRounds: number;
  readonly claimRounds: number;
  /** How long a server is left idle. */
  readonly idleMs: number;
  readonly sideBySide: { readonly turns: number; readonly sessions: number };
}

export const scales = {
  full: {
    name: "full",
    append: { rounds: 21, turns: 300 },
    concurrent: { rounds: 21, turnsEach: 12 },
    growth: { rounds: 9 },
    resume: { rounds: 21, calls: 40 },
    fork: { rounds: 15, calls: 20 },
    list: { rounds: 21, calls: 60, sessions: 1_000_000 },
    processRounds: 40,
    claimRounds: 5,
    idleMs: 130_000,
    sideBySide: { turns: 2_000, sessions: 10_000 },
  },
  quick: {
    name: "quick",
    append: { rounds: 7, turns: 200 },
    concurrent: { rounds: 7, turnsEach: 6 },
    growth: { rounds: 3 },
    resume: { rounds: 7, calls: 20 },
    fork: { rounds: 5, calls: 10 },
    list: { rounds: 7, calls: 40, sessions: 50_000 },
    processRounds: 10,
    claimRounds: 3,
    idleMs: 10_000,
    sideBySide: { turns: 500, sessions: 1_000 },
  },
} as const satisfies Record<string, Scale>;
