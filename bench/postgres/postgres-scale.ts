/** The amount of work of a run on PostgreSQL. Rounds are short, so that all sides meet the same moments of a busy machine. */
export interface PostgresScale {
  readonly append: { readonly rounds: number; readonly turns: number };
  readonly concurrent: { readonly rounds: number; readonly turnsEach: number };
  readonly resume: { readonly rounds: number; readonly calls: number };
  readonly list: { readonly rounds: number; readonly calls: number; readonly sessions: number };
  readonly feed: { readonly rounds: number; readonly calls: number };
  readonly nodes: { readonly rounds: number; readonly ms: number };
  /** The turns of the session that another tool resumes. */
  readonly peerTurns: number;
}

export const postgresScales = {
  full: {
    append: { rounds: 41, turns: 60 },
    concurrent: { rounds: 21, turnsEach: 8 },
    resume: { rounds: 15, calls: 15 },
    list: { rounds: 15, calls: 20, sessions: 1_000_000 },
    feed: { rounds: 9, calls: 30 },
    nodes: { rounds: 7, ms: 1500 },
    peerTurns: 2000,
  },
  quick: {
    append: { rounds: 15, turns: 40 },
    concurrent: { rounds: 9, turnsEach: 6 },
    resume: { rounds: 7, calls: 8 },
    list: { rounds: 7, calls: 20, sessions: 50_000 },
    feed: { rounds: 5, calls: 15 },
    nodes: { rounds: 3, ms: 1000 },
    peerTurns: 2000,
  },
} as const satisfies Record<string, PostgresScale>;
