import { isDeepStrictEqual } from "node:util";
import { BelayError, refuse } from "../../../contract/errors.ts";
import { LEASE_MS, type Member } from "../../lease-rules.ts";
import type {
  Membership,
  NewNode,
  NodeListener,
  NodeMeasures,
  NodeRegistry,
  NodeView,
} from "../../node-registry.ts";
import type { CheckHolder, Holder } from "../../stream-store.ts";
import type { Database } from "../database/database.ts";
import { damaged } from "../database/postgres-error.ts";
import { MOST_LOCKS } from "../write/locks.ts";
import { JoinedNode, LIST, type NodeRow } from "./joined-node.ts";
import { PostgresValues } from "./postgres-values.ts";

interface NodesOptions {
  readonly database: Database;
  readonly isAlive: CheckHolder;
  readonly leaseMs: number | undefined;
  /** Called when all leases under the registration are lost. */
  readonly onLost: () => void;
  /** The clock of the database, and what sets it. */
  readonly clock: { now(): number; set(now: number): void };
}

/** Registers nodes in the table `belay.nodes`. */
export class PostgresNodes implements NodeRegistry {
  readonly most_streams = MOST_LOCKS;
  readonly values: PostgresValues;
  readonly #options: NodesOptions;
  readonly #ttl: number;
  #joined: JoinedNode | undefined;
  #takeovers = 0;

  constructor(options: NodesOptions) {
    this.#options = options;
    this.values = new PostgresValues(options.database);
    this.#ttl = options.leaseMs ?? LEASE_MS;
  }

  /** The current registration of this process. */
  get member(): Member | undefined {
    return this.#joined?.member;
  }

  countTakeover(): void {
    this.#takeovers += 1;
  }

  async join(node: NewNode, listener: NodeListener): Promise<Membership> {
    const { database, isAlive, onLost, clock } = this.#options;
    if (this.#joined) throw new BelayError(refuse("internal", "This store has already joined."));
    const joined = new JoinedNode(node, listener, {
      database,
      ttl: this.#ttl,
      toView: (row) => toView(row, isAlive),
      register: (replaced) => this.#register(node, listener.room(), replaced),
      onLost,
      onTime: (now) => clock.set(now),
    });
    await joined.start();
    this.#joined = joined;
    return joined;
  }

  async list(): Promise<readonly NodeView[]> {
    const rows = await this.#options.database.query<NodeRow>(LIST);
    return rows.map((row) => toView(row, this.#options.isAlive));
  }

  now(): number {
    return Math.floor(this.#options.clock.now());
  }

  async measure(): Promise<NodeMeasures> {
    const { database } = this.#options;
    const { node = "", epoch = 0 } = this.member ?? {};
    const under = `%"member":{"node":${JSON.stringify(node)},"epoch":${epoch}}%`;
    const [row] = await database.query<{ lag: number; leases: number }>(MEASURE, [under]);
    const { lag: feed_lag_ms = 0, leases = 0 } = row ?? {};
    return { ...database.connections, feed_lag_ms, leases, takeovers: this.#takeovers };
  }

  async readSecret(): Promise<Uint8Array> {
    const sql = "SELECT m.secret FROM belay.meta m";
    const [row] = await this.#options.database.query<{ secret: Buffer }>(sql);
    if (!row) throw damaged(null, "it has no secret");
    return row.secret;
  }

  async close(): Promise<void> {
    await this.#joined?.leave();
  }

  /** Returns the epoch of the new registration. */
  async #register(node: NewNode, room: number, replaced: number | null): Promise<number> {
    const { id, name, holder, place } = node;
    const { database, isAlive } = this.#options;
    const kept = JSON.stringify(holder);
    const values = [id, name, kept, place, room, this.#ttl];
    return database.transaction(async (session) => {
      await session.query("SELECT pg_advisory_xact_lock($1)", [NODES_LOCK]);
      const rows = await session.query<NodeRow>(LIST);
      const before = rows.find((row) => row.id === id);
      const isOurs = before && (before.epoch === replaced || isSame(before.holder, holder));
      if (before && !isOurs && toView(before, isAlive).live) throw refuseSecond(before);
      const other = rows.find((row) => row.id !== id && row.left > 0 && row.ttl !== this.#ttl);
      if (other) throw refuseTtl(other, this.#ttl);
      await session.query(FORGET);
      const [row] = await session.query<{ epoch: number }>(REGISTER, values);
      if (!row) throw damaged(null, "a node could not be registered");
      return row.epoch;
    });
  }
}

function toView(row: NodeRow, isAlive: CheckHolder): NodeView {
  const { id, name, place, room, left, holder } = row;
  return { id, name, place, room, live: left > 0 && isAlive(JSON.parse(holder)) !== false };
}

function isSame(kept: string, holder: Holder): boolean {
  return isDeepStrictEqual(JSON.parse(kept), JSON.parse(JSON.stringify(holder)));
}

function refuseSecond({ name, holder }: NodeRow): BelayError {
  const { pid } = JSON.parse(holder);
  const message = `Another server (${name}, pid ${pid}) serves this data folder. Stop it first, or set BELAY_HOME to another folder.`;
  return new BelayError(refuse("server_running", message, { pid }));
}

function refuseTtl({ name, ttl }: NodeRow, own: number): BelayError {
  const message = `Node ${name} has a lease time of ${ttl / 1000} seconds, but this node has ${own / 1000} seconds. Set BELAY_LEASE_SECONDS to the same value on all nodes.`;
  return new BelayError(refuse("usage", message));
}

/** A number that no lock of a stream is likely to have. */
const NODES_LOCK = "7308604759846090";

const REGISTER = `INSERT INTO belay.nodes (id, epoch, name, holder, place, room, ttl, renewed)
  VALUES ($1, nextval('belay.node_epochs'), $2, $3, $4, $5, $6, belay.now_ms())
  ON CONFLICT (id) DO UPDATE SET epoch = excluded.epoch, name = excluded.name, holder = excluded.holder,
    place = excluded.place, room = excluded.room, ttl = excluded.ttl, renewed = excluded.renewed
  RETURNING epoch`;
/** Removes nodes that were gone for a day. */
const FORGET = "DELETE FROM belay.nodes n WHERE n.renewed < belay.now_ms() - 86400000";
const MEASURE = `SELECT
  coalesce((SELECT extract(epoch FROM clock_timestamp() - min(a.xact_start)) * 1000 FROM pg_stat_activity a
    WHERE a.usesysid = current_user::regrole AND a.backend_xid IS NOT NULL), 0)::double precision AS lag,
  (SELECT count(*)::integer FROM belay.streams s WHERE s.unsettled = 1 AND s.holder LIKE $1) AS leases`;
