import { setTimeout as pause } from "node:timers/promises";
import { openProxy, type PostgresProxy } from "../../postgres/postgres-proxy.ts";
import { query } from "../../postgres/scene-databases.ts";
import { until } from "../../run/run-parts.ts";
import type { RealServer } from "../../serve/server-process.ts";
import { driverOf, NodeLab } from "../node-lab.ts";
import { RedisServer } from "../redis-server.ts";
import { tryStaleWrite } from "./stale-writes.ts";
import { Talkers } from "./talkers.ts";

/** One of the servers, with its own connection to the database. */
export interface Node {
  readonly nth: number;
  readonly proxy: PostgresProxy;
  server: RealServer;
}

/** A session in a turn that does not end by itself. */
export interface LongTurn {
  readonly id: string;
  readonly entity_id: string;
  /** The node that drives it, and the epoch of its lease. */
  readonly owner: Node;
  readonly epoch: number;
}

/** Several servers on one database, with clients that send messages all the time. */
export class Campaign {
  readonly lab: NodeLab;
  readonly redis: RedisServer;
  readonly nodes: Node[] = [];
  readonly talkers: Talkers;
  /** Milliseconds from each fault until another node had recovered the session. */
  readonly takeovers: number[] = [];
  readonly staleWrites = { tried: 0, accepted: 0 };
  readonly #lease: number;

  private constructor(lab: NodeLab, redis: RedisServer, lease: number) {
    this.lab = lab;
    this.redis = redis;
    this.#lease = lease;
    this.talkers = new Talkers(lab, () => this.any());
  }

  /** `lease` is the number of seconds after which a silent node loses its leases. */
  static async open(lease: number, nodes: number): Promise<Campaign> {
    const campaign = new Campaign(await NodeLab.open(lease), await RedisServer.start(), lease);
    try {
      for (let nth = 0; nth < nodes; nth += 1) {
        const proxy = await openProxy(campaign.lab.postgres.port);
        campaign.nodes.push({ nth, proxy, server: await campaign.#start(nth, proxy) });
      }
    } catch (error) {
      await campaign.close();
      throw error;
    }
    return campaign;
  }

  /** Any node that serves. */
  any(): RealServer {
    const node = this.nodes[Math.floor(Math.random() * this.nodes.length)];
    if (!node) throw new Error("there are no nodes");
    return node.server;
  }

  async beginLong(): Promise<LongTurn> {
    return until("a long turn", () => this.#tryLong().catch(() => null), 120_000);
  }

  /** Null if the turn has ended: on a busy machine a node may lose its registration by itself. */
  async #tryLong(): Promise<LongTurn | null> {
    const session = await this.lab.begin(this.any(), "/pace 50\n/chunks 100000 20");
    const types = ["turn.part", "turn.ended"];
    const first = await until("its first part", () => this.#find(session.entity_id, types));
    const pid = await driverOf(this.lab.url, session.entity_id);
    const owner = this.nodes.find(({ server }) => server.pid === pid);
    if (!owner || first !== "turn.part") return null;
    const sql = `SELECT epoch FROM belay.streams WHERE id = '${session.entity_id}'`;
    const epoch = Number((await query(this.lab.url, sql)).rows[0]?.epoch);
    return { ...session, owner, epoch };
  }

  /** Measures from now until another node has recovered the session. */
  async awaitTakeover({ entity_id }: LongTurn): Promise<void> {
    const start = performance.now();
    await until("the takeover", () => this.#find(entity_id, ["session.recovered"]), 120_000);
    this.takeovers.push(performance.now() - start);
  }

  /** Writes as the driver that has lost the session would, if it did not know that yet. */
  async writeStale(turn: LongTurn): Promise<void> {
    this.staleWrites.tried += 1;
    const isAccepted = await tryStaleWrite(this.lab.url, turn, 1000 * this.#lease);
    if (isAccepted) this.staleWrites.accepted += 1;
  }

  async cancel({ id }: Pick<LongTurn, "id">): Promise<void> {
    const ask = async (): Promise<boolean> => {
      const asked = this.any().ask("POST", `/sessions/${id}/cancel`, { body: {} });
      const answer = await Promise.race([asked.catch(() => null), pause(8000, null)]);
      return answer?.status === 200 || answer?.status === 409;
    };
    await until("the cancellation", ask, 120_000);
  }

  async restart(node: Node): Promise<void> {
    node.server = await this.#start(node.nth, node.proxy);
  }

  /** After a fault that did not go as expected: everything serves again. */
  async revive(): Promise<void> {
    for (const node of this.nodes) {
      node.proxy.swallow(false);
      if (node.server.program.hasEnded) await this.restart(node);
      else node.server.program.signal("SIGCONT");
    }
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

  /** The type of the first event of these types; null if there is none. */
  async #find(entity_id: string, types: readonly string[]): Promise<string | null> {
    const sql = `SELECT e.type FROM belay.events e JOIN belay.streams s ON s.sid = e.sid
      WHERE s.id = '${entity_id}' AND e.type IN ('${types.join("', '")}') ORDER BY e.seq LIMIT 1`;
    const { rows } = await query(this.lab.url, sql);
    await pause(rows.length === 0 ? 35 : 0);
    return rows[0]?.type ?? null;
  }
}
