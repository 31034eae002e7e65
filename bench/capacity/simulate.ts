import { type Assumptions, noticeInterval } from "./assumptions.ts";
import { EventQueue } from "./event-queue.ts";

interface Run {
  readonly nodes: number;
  readonly seconds: number;
  /** When one node dies, in seconds. */
  readonly death: number;
  readonly seed: number;
}

interface Turn {
  node: number;
  /** When the agent is done. */
  readonly end: number;
  /** The node died under it; another continues it. */
  isLost: boolean;
}

type Event =
  | { readonly kind: "message" }
  | { readonly kind: "text" | "end"; readonly turn: Turn }
  | { readonly kind: "commit"; readonly node: number; readonly arrived: readonly number[] }
  | { readonly kind: "renew" | "notify" | "look"; readonly node: number }
  | { readonly kind: "die" }
  | { readonly kind: "take over" };

/**
 * Live sessions send messages at random, and each turn goes to the node with most room. Its writes wait for one of the
 * node's lanes, which commits all that wait at once. After a commit the driver and the clients of its session read, the
 * clients of other nodes once a notice has told them. One node dies, and its turns are taken over when its lease is over.
 */
export function simulate(given: Assumptions, { nodes, seconds, death, seed }: Run) {
  const random = randomFrom(seed);
  const after = (mean: number) => -mean * Math.log(1 - random());
  const queue = new EventQueue<Event>();
  const working = new Array<number>(nodes).fill(0);
  const waiting = Array.from({ length: nodes }, (): number[] => []);
  const busy = new Array<number>(nodes).fill(0);
  const renewedAt = new Array<number>(nodes).fill(0);
  const lost = new Set<Turn>();
  /** The commits of each node that no notice has named yet, and whether it has sent one in the last moment. */
  const unsent = Array.from({ length: nodes }, (): number[] => []);
  const isNotifying = new Array<boolean>(nodes).fill(false);
  const seen = new Array<number>(nodes).fill(0);
  const [delays, batches, takeovers, sums, untold, looked]: number[][] = [[], [], [], [], [], []];
  const counts = { writes: 0, renewals: 0, full: 0, laneMs: 0, most: 0, reads: 0, notices: 0 };
  let isDead = false;
  const isUp = (node: number) => node !== 0 || !isDead;

  /** A shorter list of free nodes would do the same; comparing two random ones is nearly as good as finding the best. */
  function choose(): number {
    const pick = () => Math.floor(random() * nodes);
    const [one, other] = [pick(), pick()];
    const better = (working[one] ?? 0) <= (working[other] ?? 0) ? one : other;
    return isUp(better) ? better : choose();
  }

  function begin(at: number, end: number): void {
    const turn = { node: choose(), end, isLost: false };
    if ((working[turn.node] ?? 0) >= given.agentsPerNode) counts.full += 1;
    working[turn.node] = (working[turn.node] ?? 0) + 1;
    for (let write = 0; write < given.writesPerTurn; write++) {
      queue.add(at + random() * (end - at), { kind: "text", turn });
    }
    const every = 1 / given.writesPerSecond;
    for (let next = at + random() * every; next < end; next += every) {
      queue.add(next, { kind: "text", turn });
    }
    queue.add(end, { kind: "end", turn });
    running.add(turn);
  }

  function commit(at: number, node: number): void {
    const jobs = waiting[node] ?? [];
    if (jobs.length === 0 || (busy[node] ?? 0) >= given.lanes) return;
    busy[node] = (busy[node] ?? 0) + 1;
    const ms = given.commitMs + jobs.length * given.writeMs;
    counts.laneMs += ms;
    batches?.push(jobs.length);
    waiting[node] = [];
    queue.add(at + ms / 1000, { kind: "commit", node, arrived: jobs });
  }

  function notify(at: number, node: number): void {
    const commits = unsent[node] ?? [];
    isNotifying[node] = commits.length > 0;
    if (commits.length === 0) return;
    for (const committed of commits) untold?.push((at - committed) * 1000);
    unsent[node] = [];
    counts.notices += 1;
    queue.add(at + noticeInterval(given, nodes) / 1000, { kind: "notify", node });
  }

  const running = new Set<Turn>();
  queue.add(death, { kind: "die" });
  const messagesPerSecond = given.live / given.turnEvery;
  for (let turn = 0; turn < messagesPerSecond * given.turnSeconds; turn++) {
    begin(0, after(given.turnSeconds));
  }
  queue.add(0, { kind: "message" });
  for (let node = 0; node < nodes; node++) {
    queue.add((random() * given.leaseSeconds) / 3, { kind: "renew", node });
    queue.add(random() * given.pollSeconds, { kind: "look", node });
  }

  for (let next = queue.next(); next && next.at < seconds; next = queue.next()) {
    const { at, event } = next;
    if (event.kind === "message") {
      begin(at, at + after(given.turnSeconds));
      sums?.push(running.size);
      counts.most = Math.max(counts.most, ...working);
      queue.add(at + after(1 / messagesPerSecond), event);
    } else if (event.kind === "text") {
      if (event.turn.isLost) continue;
      counts.writes += 1;
      waiting[event.turn.node]?.push(at);
      commit(at, event.turn.node);
    } else if (event.kind === "end") {
      if (event.turn.isLost) continue;
      running.delete(event.turn);
      working[event.turn.node] = (working[event.turn.node] ?? 0) - 1;
    } else if (event.kind === "commit") {
      for (const arrived of event.arrived) delays?.push((at - arrived) * 1000);
      busy[event.node] = (busy[event.node] ?? 0) - 1;
      counts.reads += event.arrived.length * (1 + given.clientsPerSession);
      for (const _ of event.arrived) unsent[event.node]?.push(at);
      if (!isNotifying[event.node]) notify(at, event.node);
      commit(at, event.node);
    } else if (event.kind === "notify") {
      notify(at, event.node);
    } else if (event.kind === "look") {
      if (!isUp(event.node)) continue;
      looked?.push(counts.writes - (seen[event.node] ?? 0));
      seen[event.node] = counts.writes;
      queue.add(at + given.pollSeconds, event);
    } else if (event.kind === "renew") {
      if (!isUp(event.node)) continue;
      counts.renewals += 1;
      renewedAt[event.node] = at;
      queue.add(at + given.leaseSeconds / 3, event);
    } else if (event.kind === "die") {
      isDead = true;
      for (const turn of running) {
        if (turn.node !== 0) continue;
        turn.isLost = true;
        running.delete(turn);
        lost.add(turn);
      }
      working[0] = 0;
      queue.add((renewedAt[0] ?? 0) + given.leaseSeconds, { kind: "take over" });
    } else {
      takeovers?.push(at - death);
      for (const { end } of lost) begin(at, at + Math.max(1, end - death));
    }
  }
  return {
    working: mean(sums),
    mostOnANode: counts.most,
    full: counts.full,
    writes: counts.writes / seconds,
    renewals: counts.renewals / seconds,
    reads: counts.reads / seconds,
    notices: counts.notices / seconds,
    looks: (looked?.length ?? 0) / seconds,
    changes: mean(looked),
    told: { p50: quantile(untold, 0.5), p99: quantile(untold, 0.99) },
    laneBusy: counts.laneMs / 1000 / seconds / nodes / given.lanes,
    batch: mean(batches),
    delay: { p50: quantile(delays, 0.5), p99: quantile(delays, 0.99) },
    lost: lost.size,
    takeover: takeovers?.[0] ?? Number.NaN,
  };
}

/** The same numbers for the same seed (mulberry32). */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

function mean(values: readonly number[] = []): number {
  return values.reduce((sum, each) => sum + each, 0) / values.length;
}

function quantile(values: readonly number[] = [], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(share * (sorted.length - 1))] ?? Number.NaN;
}
