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
  /** Clients that follow each live session, such as a page that shows it. */
  clientsPerSession: 1,
  connectionsPerNode: 13,
  lanes: 2,
  /** The time of a commit, and of each write in it, as `npm run bench -- postgres` measures them on two cores. */
  commitMs: 2,
  writeMs: 0.1,
  /** How often a node that writes all the time sends notices: the longer of both, the second times the nodes. */
  noticeMs: 5,
  noticeMsPerNode: 0.5,
  /** How often a node looks for changes whose notice was lost, and how often a follower reads that was never called. */
  pollSeconds: 0.25,
  longestSeconds: 60,
  /**
   * Milliseconds of the database's processor for a write, the read of a driver, that of a client with an event of 2 KB,
   * a notice, its delivery to a node, a look at 2,000 changes, and the check of a token.
   */
  writeCpu: 0.65,
  driverReadCpu: 0.25,
  clientReadCpu: 0.9,
  noticeCpu: 0.14,
  deliveryCpu: 0.02,
  lookCpu: 1.2,
  tokenCpu: 0.015,
} as const;

export type Assumptions = { readonly [Name in keyof typeof assumptions]: number };

/** The same numbers by arithmetic. */
export function derive(given: Assumptions) {
  const turnsPerSecond = given.live / given.turnEvery;
  const working = turnsPerSecond * given.turnSeconds;
  const writes = turnsPerSecond * given.writesPerTurn + working * given.writesPerSecond;
  const nodes = Math.ceil(working / (given.agentsPerNode * (1 - given.headroom)));
  const perLane = writes / nodes / given.lanes / 1000;
  const followers = { drivers: working, clients: given.live * given.clientsPerSession };
  const driverReads = writes + followers.drivers / given.longestSeconds;
  const clientReads = writes * given.clientsPerSession;
  const idleReads = followers.clients / given.longestSeconds;
  const notices = Math.min(writes, (nodes * 1000) / noticeInterval(given, nodes));
  const looks = nodes / given.pollSeconds;
  const cores = {
    writes: (writes * given.writeCpu) / 1000,
    reads:
      ((driverReads + idleReads) * given.driverReadCpu + clientReads * given.clientReadCpu) / 1000,
    notices: (notices * given.noticeCpu + notices * nodes * given.deliveryCpu) / 1000,
    looks: (looks * given.lookCpu) / 1000,
    /** Each client has a token of its own, which is checked every second. */
    tokens: (followers.clients * given.tokenCpu) / 1000,
  };
  return {
    working,
    writes,
    reads: driverReads + clientReads + idleReads,
    notices,
    looks,
    /** Changes that a look finds. */
    changes: writes * given.pollSeconds,
    cores: { ...cores, all: Object.values(cores).reduce((sum, each) => sum + each, 0) },
    nodes,
    connections: nodes * given.connectionsPerNode,
    renewals: (nodes * 3) / given.leaseSeconds,
    /** The share of time in which a lane is committing, while it commits one write at a time. */
    laneBusy: perLane * (given.commitMs + given.writeMs),
    /** Seconds until the last session of a node that is gone can be taken over. */
    takeover: given.leaseSeconds,
  };
}

/** Milliseconds from one notice of a node to the next, if all nodes write all the time. */
export function noticeInterval(given: Assumptions, nodes: number): number {
  return Math.max(given.noticeMs, nodes * given.noticeMsPerNode);
}
