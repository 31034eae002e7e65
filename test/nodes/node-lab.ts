import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createPostgres, type PostgresServer } from "../postgres/postgres-server.ts";
import { query } from "../postgres/scene-databases.ts";
import { until, writeAgent } from "../run/run-parts.ts";
import {
  endAll,
  listOf,
  newPlace,
  type RealServer,
  recordOf,
  type ServerPlace,
  serve,
  textOf,
} from "../serve/server-process.ts";

/** Several real servers on one database, each with its own data folder and home folder. */
export class NodeLab {
  /** The primary, which changes at a failover. */
  postgres: PostgresServer;
  readonly #gone: PostgresServer[] = [];
  readonly #places: ServerPlace[] = [];
  /** Where agents of all nodes work. */
  readonly work: string;

  /** Seconds until a silent node loses its leases. */
  readonly #lease: number;

  private constructor(postgres: PostgresServer, lease: number) {
    this.postgres = postgres;
    this.#lease = lease;
    this.work = join(this.place(0).root, "work");
  }

  static async open(lease: number): Promise<NodeLab> {
    const postgres = await createPostgres();
    await postgres.start();
    await query(postgres.urlOf("postgres"), "CREATE DATABASE nodes");
    return new NodeLab(postgres, lease);
  }

  get url(): string {
    return this.postgres.urlOf("nodes");
  }

  /** Starts a synchronous standby and calls back; then the primary is stopped at once, and the standby replaces it. */
  async failOver(beforehand: () => Promise<void>): Promise<void> {
    const standby = await this.postgres.startStandby();
    await beforehand();
    const before = this.postgres;
    this.#gone.push(before);
    await before.stop("immediate");
    await standby.promote();
    this.postgres = standby;
  }

  place(nth: number): ServerPlace {
    const known = this.#places[nth];
    if (known) return known;
    const place = newPlace();
    mkdirSync(place.home, { mode: 0o700 });
    writeAgent(place.home, { flags: [] });
    this.#places[nth] = place;
    return place;
  }

  /** Starts a node, or one that was ended again. */
  start(nth: number, env: Record<string, string> = {}, url = this.url): Promise<RealServer> {
    const settings = { BELAY_DATABASE_URL: url, BELAY_LEASE_SECONDS: `${this.#lease}`, ...env };
    return serve(this.place(nth), { env: settings });
  }

  /** A session with a message. */
  async begin(server: RealServer, initial_message: string) {
    const project = { cwd: this.work, repo: null, branch: null };
    const body = { agent_name: "agent", project, initial_message };
    const { json } = await server.ask("POST", "/sessions", { body });
    return { id: textOf(json, "session_id"), entity_id: textOf(json, "entity_id") };
  }

  /** Makes the registration of a node expire, as if the node had been silent for that long. */
  async expire(node: RealServer): Promise<void> {
    const id = readFileSync(join(node.place.home, "node-id"), "utf8").trim();
    await query(this.url, `UPDATE belay.nodes SET renewed = renewed - ttl WHERE id = '${id}'`);
  }

  async close(): Promise<void> {
    await endAll();
    for (const place of this.#places) place.remove();
    for (const server of [...this.#gone, this.postgres]) await server.remove();
  }
}

export async function eventsOf(server: RealServer, id: string) {
  const { json } = await server.ask("GET", `/sessions/${id}/events?limit=1000`);
  return listOf(json, "events");
}

export async function turnsOf(server: RealServer, id: string) {
  const { json } = await server.ask("GET", `/sessions/${id}/messages`);
  return listOf(json, "turns");
}

export async function awaitEvent(server: RealServer, id: string, type: string) {
  return until(`${type} in ${id}`, async () =>
    (await eventsOf(server, id)).find((event) => event.type === type),
  );
}

/** The node that drives a session now: by the pid of the process that holds its lease. */
export async function driverOf(url: string, entity_id: string): Promise<number | null> {
  const sql = `SELECT holder FROM belay.streams WHERE id = '${entity_id}'`;
  const [row] = (await query(url, sql)).rows;
  const holder = row?.holder ? recordOf(JSON.parse(row.holder)) : {};
  return typeof holder.pid === "number" ? holder.pid : null;
}
