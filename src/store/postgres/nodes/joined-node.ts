import { BelayError } from "../../../contract/errors.ts";
import type { Member } from "../../lease-rules.ts";
import type { Membership, NewNode, NodeListener, NodeView } from "../../node-registry.ts";
import type { Database } from "../database/database.ts";
import { NodeConnection } from "./node-connection.ts";

/** A registration, as read from the table. */
export interface NodeRow extends Omit<NodeView, "live"> {
  readonly epoch: number;
  readonly holder: string;
  readonly ttl: number;
  /** Milliseconds until it expires. */
  readonly left: number;
  /** The time of the database. */
  readonly now: number;
}

interface JoinParts {
  readonly database: Database;
  readonly ttl: number;
  readonly toView: (row: NodeRow) => NodeView;
  readonly register: (replaced: number | null) => Promise<number>;
  readonly onLost: () => void;
  /** Receives the time of the database. */
  readonly onTime: (now: number) => void;
}

/** This process as a node: renews its registration and watches the other nodes. */
export class JoinedNode implements Membership {
  readonly #node: NewNode;
  readonly #listener: NodeListener;
  readonly #parts: JoinParts;
  readonly #connection: NodeConnection;
  #epoch = 0;
  #nodes: readonly NodeView[] = [];
  /** The live registrations of other nodes, by id and epoch. */
  #others: ReadonlyMap<string, NodeView> = new Map();
  #renewedAt = 0;
  #heardAt = 0;
  #isRegistered = true;
  #room = 0;
  #timer: NodeJS.Timeout | undefined;
  #looking: Promise<void> | null = null;
  #isDue = false;
  #hasLeft = false;

  constructor(node: NewNode, listener: NodeListener, parts: JoinParts) {
    this.#node = node;
    this.#listener = listener;
    this.#parts = parts;
    const { database, ttl } = parts;
    this.#connection = new NodeConnection(
      database.url,
      Math.min(LONGEST_WAIT_MS, ttl / 3),
      () => this.#look(),
      () => this.silence() >= ttl / 2 && database.renew(),
    );
  }

  get id(): string {
    return this.#node.id;
  }

  get member(): Member | undefined {
    return this.#hasLeft ? undefined : { node: this.#node.id, epoch: this.#epoch };
  }

  async start(): Promise<void> {
    await this.#register(null);
    await this.#read();
    const every = Math.min(LOOK_MS, this.#parts.ttl / 6);
    this.#timer = setInterval(() => this.#look(), every);
    this.#timer.unref();
    this.#look();
  }

  nodes(): readonly NodeView[] {
    return this.#nodes;
  }

  silence(): number {
    return performance.now() - this.#heardAt;
  }

  async call(node: string, stream: string): Promise<void> {
    await this.#parts.database.query(CALL, [node, stream]);
  }

  async leave(): Promise<void> {
    this.#hasLeft = true;
    clearInterval(this.#timer);
    await this.#looking;
    await this.#connection.close();
    await this.#parts.database.query(LEAVE, [this.#node.id, this.#epoch]).catch(() => undefined);
  }

  async #register(replaced: number | null): Promise<void> {
    const asked = performance.now();
    this.#room = this.#listener.room();
    this.#epoch = await this.#parts.register(replaced);
    this.#renewedAt = asked;
  }

  /** One check at a time; a request during a check leads to another check. */
  #look(): void {
    this.#isDue = true;
    this.#looking ??= this.#lookOn().finally(() => {
      this.#looking = null;
    });
  }

  async #lookOn(): Promise<void> {
    while (this.#isDue && !this.#hasLeft) {
      this.#isDue = false;
      // The database may be unavailable for a moment.
      await this.#lookOnce().catch(() => undefined);
    }
  }

  async #lookOnce(): Promise<void> {
    const room = this.#listener.room();
    const isOld = performance.now() - this.#renewedAt >= this.#parts.ttl / 3;
    const isDue = isOld || room !== this.#room;
    if (isDue && !(await this.#renew(room))) await this.#joinAnew();
    const before = this.#others;
    await this.#read();
    // A node that has registered again has lost its leases too.
    for (const [key, node] of before) if (!this.#others.has(key)) this.#listener.onGone(node);
    if (!this.#isRegistered) await this.#joinAnew();
    const called = await this.#connection.query<{ stream: string }>(CALLED, [this.#node.id]);
    if (called.length > 0) this.#listener.onCalled(called.map(({ stream }) => stream));
  }

  async #renew(room: number): Promise<boolean> {
    const asked = performance.now();
    const renewed = await this.#connection.query(RENEW, [this.#node.id, this.#epoch, room]);
    if (renewed.length === 0) return false;
    this.#renewedAt = asked;
    this.#room = room;
    return true;
  }

  async #joinAnew(): Promise<void> {
    try {
      await this.#register(this.#epoch);
    } catch (error) {
      if (!(error instanceof BelayError) || error.code !== "server_running") throw error;
      this.#hasLeft = true;
      clearInterval(this.#timer);
      this.#listener.onReplaced();
    }
    this.#parts.onLost();
    if (!this.#hasLeft) this.#listener.onLost();
  }

  async #read(): Promise<void> {
    const asked = performance.now();
    const rows = await this.#connection.query<NodeRow>(LIST);
    this.#heardAt = asked;
    const [first] = rows;
    if (first) this.#parts.onTime(first.now);
    this.#isRegistered = rows.some(
      ({ id, epoch, left }) => id === this.#node.id && epoch === this.#epoch && left > 0,
    );
    const nodes = rows.map((row) => ({
      key: `${row.id} ${row.epoch}`,
      ...this.#parts.toView(row),
    }));
    this.#nodes = nodes;
    const others = nodes.filter(({ id, live }) => live && id !== this.#node.id);
    this.#others = new Map(others.map((node) => [node.key, node]));
  }
}

/** The interval between two checks, or less if leases are short. */
const LOOK_MS = 1000;
/** A connection that does not answer for this long is replaced, so that a node that is gone is noticed soon. */
const LONGEST_WAIT_MS = 5000;

export const LIST = `SELECT n.id, n.epoch, n.name, n.holder, n.place, n.room, n.ttl, n.renewed + n.ttl - belay.now_ms() AS left,
    belay.now_ms() AS now
  FROM belay.nodes n ORDER BY n.id`;
const RENEW = `UPDATE belay.nodes n SET renewed = belay.now_ms(), room = $3
  WHERE n.id = $1 AND n.epoch = $2 AND belay.now_ms() < n.renewed + n.ttl RETURNING n.epoch`;
const LEAVE = `WITH gone AS (DELETE FROM belay.nodes n WHERE n.id = $1 AND n.epoch = $2 RETURNING n.id)
  DELETE FROM belay.calls c USING gone g WHERE c.node = g.id`;
const CALL = `WITH called AS (INSERT INTO belay.calls (node, stream) VALUES ($1, $2) ON CONFLICT DO NOTHING)
  SELECT pg_notify('belay_nodes', '')`;
const CALLED = "DELETE FROM belay.calls c WHERE c.node = $1 RETURNING c.stream";
