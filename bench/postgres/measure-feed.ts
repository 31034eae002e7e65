import { mkdtempSync, rmSync } from "node:fs";
import { Agent, get, request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { median } from "../measurements.ts";
import { authorization, type Served, serveBelay } from "../served.ts";
import { turnText } from "../turn-text.ts";
import type { Figure } from "./figures.ts";
import { type PostgresLab, withDatabase } from "./postgres-lab.ts";

const unit = "milliseconds" as const;
/** Clients of node A that each send their next turn when the last one is stored. */
const CLIENTS = 16;

/** From the request to node A until the stored event is at an SSE client of node B: two servers on one database. */
export function measureFeed(lab: PostgresLab): Promise<Figure[]> {
  return withDatabase(lab, "feed", async (url) => {
    const a = await ServedNode.start(url);
    const b = await ServedNode.start(url);
    try {
      const session = await a.createSession();
      const heard = await b.follow(session);
      const { rounds, calls } = lab.scale.feed;
      const delays = async () => {
        const times: number[] = [];
        for (let call = 0; call < calls; call++) {
          const start = performance.now();
          const mark = `mark-${start}`;
          const arrived = heard(mark);
          await a.record(session, mark);
          times.push((await arrived) - start);
        }
        return median(times);
      };
      await delays();
      const idle: number[] = [];
      for (let round = 0; round < rounds; round++) idle.push(await delays());
      const others = await Promise.all(Array.from({ length: CLIENTS }, () => a.createSession()));
      let isOver = false;
      const load = others.map(async (other) => {
        for (let turn = 0; !isOver; turn++) await a.record(other, turnText(turn));
      });
      await delays();
      const busy: number[] = [];
      for (let round = 0; round < rounds; round++) busy.push(await delays());
      isOver = true;
      await Promise.all(load);
      return [
        {
          what: "REST at node A to an SSE client of node B, stored, idle",
          ...{ unit, own: idle, target: { below: 10 } },
        },
        {
          what: `the same while ${CLIENTS} clients write at node A as fast as it answers`,
          ...{ unit, own: busy, target: { below: 25 } },
        },
      ];
    } finally {
      await b.stop();
      await a.stop();
    }
  });
}

/** A real server with a data folder of its own. */
class ServedNode {
  readonly #home: string;
  readonly #served: Served;
  readonly #agent = new Agent({ keepAlive: true });

  private constructor(home: string, served: Served) {
    this.#home = home;
    this.#served = served;
  }

  static async start(database: string): Promise<ServedNode> {
    const home = mkdtempSync(join(tmpdir(), "belay-bench-"));
    return new ServedNode(home, await serveBelay(home, { BELAY_DATABASE_URL: database }));
  }

  async createSession(): Promise<string> {
    return JSON.parse(await this.#post("/sessions", { agent_name: "writer" })).session_id;
  }

  async record(session: string, output: string): Promise<void> {
    await this.#post(`/sessions/${session}/turns`, { input: "", output });
  }

  /** Follows a session. The result waits for a text, and answers when it arrived. */
  async follow(session: string): Promise<(text: string) => Promise<number>> {
    const waiting = new Map<string, (at: number) => void>();
    const headers = { ...authorization(this.#home), accept: "text/event-stream" };
    const url = `${this.#served.url}/sessions/${session}/events`;
    await new Promise<void>((resolve, reject) => {
      get(url, { headers, agent: this.#agent }, (response) => {
        if (response.statusCode !== 200) reject(new Error(`${url}: ${response.statusCode}`));
        response.setEncoding("utf8").on("error", () => {});
        response.on("data", (text: string) => {
          const [mark = ""] = /mark-[\d.]+/.exec(text) ?? [];
          waiting.get(mark)?.(performance.now());
        });
        resolve();
      }).on("error", reject);
    });
    return (text) => new Promise((resolve) => waiting.set(text, resolve));
  }

  async stop(): Promise<void> {
    this.#agent.destroy();
    await this.#served.stop();
    rmSync(this.#home, { recursive: true, force: true });
  }

  #post(path: string, body: object): Promise<string> {
    const headers = { ...authorization(this.#home), "content-type": "application/json" };
    const options = { method: "POST", headers, agent: this.#agent };
    return new Promise((resolve, reject) => {
      const asked = request(`${this.#served.url}${path}`, options, (response) => {
        let text = "";
        response.setEncoding("utf8").on("data", (more: string) => {
          text += more;
        });
        response.on("end", () => {
          if (response.statusCode === 200 || response.statusCode === 201) resolve(text);
          else reject(new Error(`${path}: ${response.statusCode} ${text}`));
        });
      });
      asked.on("error", reject);
      asked.end(JSON.stringify(body));
    });
  }
}
