/** What the capacity model assumes. The guide derives every other number from these. */
export const assumptions = {
  sessions: 10_000_000,
  /** Sessions that people use now: each gets a message from time to time. */
  live: 100_000,
  /** Seconds from one message of a live session to the next, and the time that an agent takes to answer. */
  turnEvery: 600,
  turnSeconds: 40,
  /** Writes of a turn beside its text (message, start, end, tool calls), and writes of text per second. */
  writesPerTurn: 8,
  writesPerSecond: 1,
  /** Agents that a node runs at once (AGENT_MAX_CONCURRENT_SESSIONS), and the share of them that is kept free. */
  agentsPerNode: 200,
  headroom: 0.25,
  /** The lease time of nodes (BELAY_LEASE_SECONDS). */
  leaseSeconds: 45,
  connectionsPerNode: 13,
  lanes: 2,
  /** The time of a commit, and of each write in it, as `npm run bench -- postgres` measures them on two cores. */
  commitMs: 2,
  writeMs: 0.1,
} as const;

export type Assumptions = { readonly [Name in keyof typeof assumptions]: number };

/** The same numbers by arithmetic. */
export function derive(given: Assumptions) {
  const turnsPerSecond = given.live / given.turnEvery;
  const working = turnsPerSecond * given.turnSeconds;
  const writes = turnsPerSecond * given.writesPerTurn + working * given.writesPerSecond;
  const nodes = Math.ceil(working / (given.agentsPerNode * (1 - given.headroom)));
  const perLane = writes / nodes / given.lanes / 1000;
  return {
    working,
    writes,
    nodes,
    connections: nodes * given.connectionsPerNode,
    renewals: (nodes * 3) / given.leaseSeconds,
    /** The share of time in which a lane is committing, while it commits one write at a time. */
    laneBusy: perLane * (given.commitMs + given.writeMs),
    /** Seconds until the last session of a node that is gone can be taken over. */
    takeover: given.leaseSeconds,
  };
}
