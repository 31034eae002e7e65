/**
 * `npm run test:nodes`: real servers on one PostgreSQL with Redis, under load, while nodes are killed, stopped and cut off
 * from the database, the database is stopped and fails over, and Redis is killed. The whole history is read in the end.
 * BELAY_NODES_SCALE makes it shorter (0.1) or longer (2).
 */
import { setTimeout as pause } from "node:timers/promises";
import buildDemoAgent from "../agent/demo/demo-program.ts";
import { openProxy, type PostgresProxy } from "../postgres/postgres-proxy.ts";
import { query } from "../postgres/scene-databases.ts";
import { processesMarked, until } from "../run/run-parts.ts";
import { type RealServer, runBelay, textOf } from "../serve/server-process.ts";
import { FeedFollowers } from "./feed-followers.ts";
import { fillDisk } from "./fill-disk.ts";
import { type Acknowledged, judgeHistory, type LoggedEvent, readHistory } from "./judge-history.ts";
import { driverOf, NodeLab } from "./node-lab.ts";
import { RedisServer } from "./redis-server.ts";

const scale = Number(process.env.BELAY_NODES_SCALE ?? 1);
const times = (count: number) => Math.max(1, Math.round(count * scale));

const SESSIONS = 20;
/** Seconds until a silent node loses its leases. */
const LEASE = 3;
/** Longer than that, in milliseconds. */
const LONG = LEASE * 1000 + 1500;
/** How long after the lease time another node may have recovered a session. */
const MOST_LATER = 5000;

interface Node {
  readonly nth: number;
  readonly proxy: PostgresProxy;
  server: RealServer;
}

interface Talker {
  readonly id: string;
  readonly entity_id: string;
}

class Campaign {
  readonly lab: NodeLab;
  readonly redis: RedisServer;
  readonly nodes: Node[] = [];
  readonly talkers: Talker[] = [];
  readonly acknowledged: Acknowledged[] = [];
  /** Acknowledged by a server that does not wait for the commit, as a control. */
  readonly promised = new Set<Acknowledged>();
  readonly takeovers: number[] = [];
  refused = 0;
  #sent = 0;
  #isOver = false;
  #talking: Promise<void>[] = [];

  constructor(lab: NodeLab, redis: RedisServer) {
    this.lab = lab;
    this.redis = redis;
  }

  async startNodes(count: number): Promise<void> {
    for (let nth = this.nodes.length; nth < count; nth += 1) {
      const proxy = await openProxy(this.lab.postgres.port);
      this.nodes.push({ nth, proxy, server: await this.#start(nth, proxy) });
    }
  }

  async startTalkers(count: number): Promise<void> {
    for (let nth = 0; nth < count; nth += 1) {
      this.talkers.push(await this.lab.begin(this.any().server, "/say hello"));
    }
    this.#talking = this.talkers.map((talker) => this.#talk(talker));
  }

  /** A session in a turn that does not end by itself, and the node that drives it. */
  async beginLong(): Promise<{ session: Talker; owner: Node }> {
    return until("a long turn", () => this.#tryLong().catch(() => null), 120_000);
  }

  /** Null if the turn has ended: on a busy machine a node may lose its registration by itself. */
  async #tryLong(): Promise<{ session: Talker; owner: Node } | null> {
    const message = "/pace 50\n/chunks 100000 20";
    const session = await this.lab.begin(this.any().server, message);
    const first = await until("its first part", async () =>
      (await this.#events(session)).find(({ type }) => /^turn\.(?:part|ended)$/.test(type)),
    );
    const pid = await driverOf(this.lab.url, session.entity_id);
    const owner = this.nodes.find(({ server }) => server.pid === pid);
    return owner && first.type === "turn.part" ? { session, owner } : null;
  }

  /** Measures from now until another node has recovered the session. */
  async awaitTakeover({ entity_id }: Talker): Promise<void> {
    const start = performance.now();
    await until(
      "the takeover",
      async () =>
        (await this.#events({ entity_id })).some(({ type }) => type === "session.recovered"),
      60_000,
    );
    this.takeovers.push(performance.now() - start);
  }

  async cancel({ id }: Talker): Promise<void> {
    const ask = async (): Promise<boolean> => {
      const answer = await Promise.race([
        this.any()
          .server.ask("POST", `/sessions/${id}/cancel`, { body: {} })
          .catch(() => null),
        pause(8000, null),
      ]);
      return answer?.status === 200 || answer?.status === 409;
    };
    await until("an end", ask, 60_000);
  }

  async restart(node: Node): Promise<void> {
    node.server = await this.#start(node.nth, node.proxy);
  }

  /** After a fault that did not go as expected: all nodes serve again. */
  async revive(): Promise<void> {
    for (const node of this.nodes) {
      if (node.server.program.hasEnded) await this.restart(node);
      else node.server.program.signal("SIGCONT");
      node.proxy.swallow(false);
    }
  }

  async stopTalking(): Promise<void> {
    this.#isOver = true;
    await Promise.all(this.#talking);
  }

  /** Waits until every message has its answer. */
  async settle(): Promise<void> {
    const unended = async () =>
      judgeHistory(this.acknowledged, await readHistory(this.lab.url)).filter(
        ({ kind }) => kind === "unended",
      );
    const hasSettled = async () => (await unended()).length === 0;
    await until("all answers", hasSettled, 120_000).catch(async () => {
      for (const { entity_id } of await unended()) {
        const sql = `SELECT head FROM belay.streams WHERE id = '${entity_id}'`;
        const [row] = (await query(this.lab.url, sql)).rows;
        report(`waits for an answer: ${`${row?.head}`.slice(0, 2000)}`);
      }
    });
  }

  /** Leads all nodes to the primary that replaced the one before. */
  async failOver(beforehand: () => Promise<void>): Promise<void> {
    await this.lab.failOver(beforehand);
    for (const { proxy } of this.nodes) proxy.aim(this.lab.postgres.port);
  }

  async close(): Promise<void> {
    await this.lab.close();
    this.redis.remove();
    for (const { proxy } of this.nodes) await proxy.close();
  }

  #start(nth: number, proxy: PostgresProxy): Promise<RealServer> {
    const url = this.lab.url.replace(`:${this.lab.postgres.port}`, `:${proxy.port}`);
    const env = { AGENT_MAX_CONCURRENT_SESSIONS: "40", BELAY_REDIS_URL: this.redis.url };
    return this.lab.start(nth, env, url);
  }

  any(): Node {
    const node = this.nodes[Math.floor(Math.random() * this.nodes.length)];
    if (!node) throw new Error("there are no nodes");
    return node;
  }

  async #events({ entity_id }: Pick<Talker, "entity_id">) {
    const history = await readHistory(this.lab.url);
    return history.filter((event) => event.entity_id === entity_id);
  }

  /** Sends one message after the other, each with its key to any node until one has acknowledged it. */
  async #talk({ id, entity_id }: Talker): Promise<void> {
    while (!this.#isOver) {
      this.#sent += 1;
      const content = `/say answer ${this.#sent}`;
      const key = `message ${this.#sent}`;
      for (let hasGone = false; !hasGone; ) {
        hasGone = await this.#send(id, entity_id, content, key);
        if (!hasGone) {
          this.refused += 1;
          await pause(200);
        }
        if (this.#isOver && !hasGone) return;
      }
      await pause(1000 + Math.random() * 2000);
    }
  }

  async #send(id: string, entity_id: string, content: string, key: string): Promise<boolean> {
    const { server } = this.any();
    const sent = { body: { message: content, wait: false }, headers: { "idempotency-key": key } };
    const promise = { entity_id, turn_id: "", content };
    this.promised.add(promise);
    const answer = await Promise.race([
      server.ask("POST", `/sessions/${id}/messages`, sent).catch(() => null),
      pause(8000, null),
    ]);
    if (answer?.status !== 202) return false;
    this.promised.delete(promise);
    this.acknowledged.push({ entity_id, turn_id: textOf(answer.json, "turn_id"), content });
    return true;
  }
}

async function kill(campaign: Campaign): Promise<void> {
  const { session, owner } = await campaign.beginLong();
  owner.server.program.signal("SIGKILL");
  await campaign.awaitTakeover(session);
  await campaign.restart(owner);
  await campaign.cancel(session);
}

async function stop(campaign: Campaign): Promise<void> {
  const { session, owner } = await campaign.beginLong();
  owner.server.program.signal("SIGSTOP");
  try {
    const stopped = performance.now();
    const agent = until("the agent's end", () => processesMarked(session.entity_id).length === 0);
    await Promise.all([
      campaign.awaitTakeover(session),
      pause(LONG),
      agent.then(() => {
        // The supervisor ends it: nobody can take the session over so early.
        const ms = performance.now() - stopped;
        if (ms > LEASE * 1000)
          failures.push(`an agent ran for ${Math.round(ms)} ms without its node`);
      }),
    ]);
  } finally {
    owner.server.program.signal("SIGCONT");
  }
  // Time for what it still wants to write.
  await pause(1500);
  await campaign.cancel(session);
}

async function cutOff(campaign: Campaign): Promise<void> {
  const { session, owner } = await campaign.beginLong();
  owner.proxy.swallow(true);
  try {
    await Promise.all([campaign.awaitTakeover(session), pause(10_000)]);
  } finally {
    owner.proxy.swallow(false);
  }
  await pause(1500);
  await campaign.cancel(session);
}

async function stopDatabase(campaign: Campaign): Promise<void> {
  const { session } = await campaign.beginLong();
  await campaign.lab.postgres.stop("immediate");
  await campaign.lab.postgres.start();
  await pause(1000);
  await campaign.cancel(session);
}

/** What was acknowledged must be on the standby. */
async function failOver(campaign: Campaign): Promise<void> {
  let session: Talker | null = null;
  await campaign.failOver(async () => {
    ({ session } = await campaign.beginLong());
  });
  await pause(1000);
  if (session) await campaign.cancel(session);
}

/** Nothing may depend on Redis: messages are acknowledged and answered without it. */
async function killRedis(campaign: Campaign): Promise<void> {
  await campaign.redis.kill();
  const before = campaign.acknowledged.length;
  await until("messages without Redis", () => campaign.acknowledged.length >= before + 10);
  const { session } = await campaign.beginLong();
  await campaign.redis.start();
  await campaign.cancel(session);
}

const FAULTS = [
  { name: "node killed", run: kill, counts: [25, 25] },
  { name: "node stopped", run: stop, counts: [10, 10] },
  { name: "node cut off", run: cutOff, counts: [10, 10] },
  { name: "database stopped", run: stopDatabase, counts: [5, 5] },
  { name: "failover", run: failOver, counts: [1, 2] },
  { name: "Redis killed", run: killRedis, counts: [3, 3] },
];

const began = performance.now();
function report(text: string): void {
  console.log(`${((performance.now() - began) / 1000).toFixed(0).padStart(5)} s  ${text}`);
}

function describeTakeovers(takeovers: readonly number[]): string {
  const sorted = takeovers.toSorted((a, b) => a - b);
  const [half, most] = [sorted[Math.floor(sorted.length / 2)] ?? 0, sorted.at(-1) ?? 0];
  const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`;
  return sorted.length ? `takeover median ${seconds(half)}, longest ${seconds(most)}` : "";
}

/** A history in which a driver wrote to a turn that another node had ended, as it could if writes were not fenced. */
function withStaleWrite(history: readonly LoggedEvent[]): LoggedEvent[] {
  const at = history.findIndex(({ type }) => type === "turn.ended");
  const ended = history[at];
  if (!ended) return [...history];
  const later = history.filter(({ entity_id }) => entity_id === ended.entity_id).length;
  return [...history, { ...ended, seq: later + 1, type: "turn.part" }];
}

async function runCampaign(count: number, nth: number): Promise<void> {
  const campaign = new Campaign(await NodeLab.open(LEASE), await RedisServer.start());
  try {
    await campaign.startNodes(count);
    const feed = new FeedFollowers(
      () => campaign.any().server,
      () => campaign.lab.url,
    );
    await campaign.startTalkers(SESSIONS);
    for (const { name, run, counts } of FAULTS) {
      const rounds = times(counts[nth] ?? 1);
      campaign.takeovers.length = 0;
      for (let round = 1; round <= rounds; round += 1) {
        await run(campaign).catch((error: unknown) => {
          failures.push(`${name}: ${error}`);
          return campaign.revive();
        });
        if (round % 5 === 0) report(`${count} nodes, ${name}: ${round} of ${rounds}`);
      }
      report(`${count} nodes, ${name} ${rounds} times ${describeTakeovers(campaign.takeovers)}`);
      const most = Math.max(0, ...campaign.takeovers);
      if (most > LEASE * 1000 + MOST_LATER) {
        failures.push(`${name}: a takeover took ${Math.round(most)} ms`);
      }
    }
    await campaign.stopTalking();
    await campaign.settle();
    const history = await readHistory(campaign.lab.url);
    const { acknowledged, promised, refused } = campaign;
    const findings = judgeHistory(acknowledged, history);
    report(
      `${count} nodes: ${acknowledged.length} acknowledged, ${refused} refused or unanswered, ${history.length} events, ${findings.length} findings`,
    );
    failures.push(...findings.map(({ kind, what }) => `${kind}: ${what}`));
    const { skipped, repeated, skippedBySequence } = await feed.finish(history);
    report(`${count} nodes: the feed skipped ${skipped} and repeated ${repeated} events`);
    if (skipped + repeated > 0) failures.push("the feed is not complete");
    report(`control, a feed by sequence: ${skippedBySequence} skipped`);
    const early = judgeHistory([...acknowledged, ...promised], history).length;
    report(`control, acknowledged before the commit: ${early} findings`);
    if (refused > 0 && early === 0) failures.push("the first control found nothing");
    const stale = judgeHistory(acknowledged, withStaleWrite(history)).length;
    report(`control, writes that are not fenced: ${stale} findings`);
    if (stale === 0) failures.push("the second control found nothing");
    const env = { BELAY_DATABASE_URL: campaign.lab.url };
    const verified = await runBelay(campaign.lab.place(0), ["verify", "--json"], env);
    if (verified.code !== 0) failures.push(`verify: ${verified.stdout}`);
  } finally {
    await campaign.close();
  }
}

/** The lease time that nodes have by default: a stopped node is replaced within it. */
async function runWithLongLeases(): Promise<void> {
  const campaign = new Campaign(await NodeLab.open(LONG_LEASE), await RedisServer.start());
  try {
    await campaign.startNodes(2);
    for (let round = 1; round <= 3; round += 1) {
      const { session, owner } = await campaign.beginLong();
      owner.server.program.signal("SIGSTOP");
      await campaign.awaitTakeover(session);
      owner.server.program.signal("SIGCONT");
      await campaign.cancel(session);
      const ms = campaign.takeovers.at(-1) ?? 0;
      report(`leases of ${LONG_LEASE} s, node stopped: takeover after ${(ms / 1000).toFixed(1)} s`);
      if (ms > LONG_LEASE * 1000 + MOST_LATER)
        failures.push(`a takeover took ${Math.round(ms)} ms`);
    }
    const findings = judgeHistory([], await readHistory(campaign.lab.url));
    failures.push(...findings.map(({ kind, what }) => `${kind}: ${what}`));
  } finally {
    await campaign.close();
  }
}

const LONG_LEASE = 45;
const failures: string[] = [];
await buildDemoAgent();
for (const [nth, count] of [2, 3].entries()) await runCampaign(count, nth);
await runWithLongLeases();
const wrong = await fillDisk();
report(
  `disk of the server full: ${wrong ? `${wrong.length} findings` : "not run, it may not mount"}`,
);
failures.push(...(wrong ?? []));
for (const failure of failures) console.error(failure);
report(failures.length === 0 ? "nothing was lost, doubled or stale" : "failed");
process.exit(failures.length === 0 ? 0 : 1);
