import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { serveWith } from "../served.ts";
import type { Figure } from "./figures.ts";
import { type PostgresLab, withDatabase } from "./postgres-lab.ts";
import { interleave, series } from "./series.ts";

/** Each node has this many callers, each with a session of its own. */
const CALLERS = 8;
const LATENCY_MS = 2;
const here = import.meta.dirname;

/** Two processes on one database against one: here, where all share the processors, and with a database that is further away. */
export async function measureNodes(lab: PostgresLab): Promise<Figure[]> {
  const near = await measureAt(lab, "nodes_near", (url) => url);
  const { port } = lab.server;
  const proxy = await serveWith([join(here, "slow-proxy.ts"), `${port}`, `${LATENCY_MS}`]);
  try {
    const far = await measureAt(lab, "nodes_far", (url) => url.replace(`${port}`, proxy.url));
    return [
      {
        what: `two nodes, ${CALLERS} callers each (compared with one node)`,
        ...near,
        target: { atLeast: 1 },
      },
      {
        what: `the same behind a proxy that adds ${LATENCY_MS} ms to each answer of the database`,
        ...far,
        target: { atLeast: 1.6 },
      },
    ];
  } finally {
    await proxy.stop();
  }
}

function measureAt(lab: PostgresLab, name: string, toAddress: (url: string) => string) {
  return withDatabase(lab, name, async (url) => {
    const { rounds, ms } = lab.scale.nodes;
    const first = await LoadedNode.start(toAddress(url), "first");
    const second = await LoadedNode.start(toAddress(url), "second");
    try {
      const one = series(() => first.run(ms));
      const two = series(async () => {
        const [a, b] = await Promise.all([first.run(ms), second.run(ms)]);
        return a + b;
      });
      await interleave(rounds, [one, two]);
      return { unit: "perSecond" as const, own: two.rounds, base: one.rounds };
    } finally {
      await Promise.all([first.stop(), second.stop()]);
    }
  });
}

class LoadedNode {
  readonly #child: ChildProcess;
  readonly #lines: AsyncIterator<string>;

  private constructor(child: ChildProcess, lines: AsyncIterator<string>) {
    this.#child = child;
    this.#lines = lines;
  }

  static async start(url: string, name: string): Promise<LoadedNode> {
    const args = [join(here, "node-load.ts"), url, name, `${CALLERS}`];
    const child = spawn(process.execPath, args, { stdio: ["pipe", "pipe", "inherit"] });
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    await lines.next();
    return new LoadedNode(child, lines);
  }

  /** Turns per second. */
  async run(ms: number): Promise<number> {
    this.#child.stdin?.write(`${ms}\n`);
    const { value } = await this.#lines.next();
    return (Number(value) * 1000) / ms;
  }

  async stop(): Promise<void> {
    const exited = once(this.#child, "exit");
    this.#child.stdin?.end();
    await exited;
  }
}
