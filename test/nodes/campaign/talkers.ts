import { setTimeout as pause } from "node:timers/promises";
import { query } from "../../postgres/scene-databases.ts";
import { until } from "../../run/run-parts.ts";
import { type Asked, type RealServer, textOf } from "../../serve/server-process.ts";
import type { NodeLab } from "../node-lab.ts";
import { type Acknowledged, judgeHistory, readHistory } from "./judge-history.ts";

interface Session {
  readonly id: string;
  readonly entity_id: string;
}

/** Clients that send one message after the other, each with its key to any node until one has acknowledged it. */
export class Talkers {
  readonly acknowledged: Acknowledged[] = [];
  /** Messages that were sent once and got no answer, as if they had been acknowledged before the commit. */
  readonly promised: Acknowledged[] = [];
  /** The number of requests that failed or were not answered. */
  refused = 0;
  readonly #lab: NodeLab;
  readonly #any: () => RealServer;
  readonly #sessions: Session[] = [];
  #talking: Promise<void>[] = [];
  #sent = 0;
  #isOver = false;

  constructor(lab: NodeLab, any: () => RealServer) {
    this.#lab = lab;
    this.#any = any;
  }

  async start(count: number): Promise<void> {
    for (let nth = 0; nth < count; nth += 1) {
      this.#sessions.push(await this.#lab.begin(this.#any(), "/say hello"));
    }
    this.#talking = this.#sessions.map((session) => this.#talk(session));
  }

  /** Sends messages to a server that is about to be killed, and does not repeat them. */
  async sendOnce(server: RealServer, kill: () => void): Promise<void> {
    const sessions = this.#sessions.slice(0, 5);
    const sent = sessions.map(async (session) => {
      const message = this.#next(session);
      const answer = await this.#send(server, session, message);
      if (answer?.status !== 202) this.promised.push({ ...message, turn_id: null });
    });
    await pause(Math.random() * 5);
    kill();
    await Promise.all(sent);
  }

  async stop(): Promise<void> {
    this.#isOver = true;
    await Promise.all(this.#talking);
  }

  /** Waits until every message has its answer. Returns the heads of sessions that still wait for one. */
  async settle(): Promise<string[]> {
    const unended = async () =>
      judgeHistory(this.acknowledged, await readHistory(this.#lab.url)).filter(
        ({ kind }) => kind === "unended",
      );
    const hasSettled = async () => {
      await pause(500);
      return (await unended()).length === 0;
    };
    const isDone = await until("all answers", hasSettled, 180_000).catch(() => false);
    if (isDone) return [];
    const heads: string[] = [];
    for (const id of new Set((await unended()).map(({ entity_id }) => entity_id))) {
      const sql = `SELECT head, holder FROM belay.streams WHERE id = '${id}'`;
      const [row] = (await query(this.#lab.url, sql)).rows;
      heads.push(`${row?.holder} ${row?.head}`.slice(0, 2000));
    }
    return heads;
  }

  async #talk(session: Session): Promise<void> {
    while (!this.#isOver) {
      const message = this.#next(session);
      for (;;) {
        const answer = await this.#send(this.#any(), session, message);
        if (answer?.status === 202) {
          this.acknowledged.push({ ...message, turn_id: textOf(answer.json, "turn_id") });
          break;
        }
        this.refused += 1;
        if (this.#isOver) return;
        await pause(200);
      }
      await pause(1000 + Math.random() * 2000);
    }
  }

  #next({ entity_id }: Session): Omit<Acknowledged, "turn_id"> {
    this.#sent += 1;
    return { entity_id, content: `/say answer ${this.#sent}` };
  }

  /** Null if there was no answer. */
  #send(
    server: RealServer,
    { id }: Session,
    { content }: Omit<Acknowledged, "turn_id">,
  ): Promise<Asked | null> {
    const headers = { "idempotency-key": content };
    const sent = { body: { message: content, wait: false }, headers };
    const asked = server.ask("POST", `/sessions/${id}/messages`, sent);
    return Promise.race([asked.catch(() => null), pause(8000, null)]);
  }
}
