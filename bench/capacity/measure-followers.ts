import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import pg from "pg";
import { begin, idOf, keep } from "../../src/store/conformance/notebook.ts";
import { openPostgresStore } from "../../src/store/postgres/open-postgres-store.ts";
import { toMarkdown } from "../markdown-table.ts";
import { type PostgresLab, withDatabase, withPostgres } from "../postgres/postgres-lab.ts";
import { postgresScales } from "../postgres/postgres-scale.ts";

const MS = 4000;
/** Commits per second, each to the next of these streams. */
const RATE = 300;
const STREAMS = 150;
const LISTENERS = 40;
const NOTICES = 500;
const TOGETHER = 200;
const ROUNDS = 200;

/** What followers cost a node and the database: reads per commit, and processor time of both. */
export async function measureFollowers(): Promise<string> {
  let answer = "";
  const progress = (line: string) => void process.stderr.write(`${line}\n`);
  const absent = await withPostgres(postgresScales.quick, progress, async (lab) => {
    answer = await withDatabase(lab, "followers", async (url) => {
      const rows = [["", "reads/s", "processor of a node", "processor of the database"]];
      const writer = await MeasuredNode.start(url, "write", 1, STREAMS);
      await writer.run(1000, RATE);
      const alone = await measure(lab, writer, []);
      rows.push([`${RATE} commits/s to ${STREAMS} sessions`, "", "", share(alone.database)]);
      for (const [what, first] of [
        [`and a node that follows ${STREAMS} other sessions`, STREAMS + 1],
        [`and a node that follows these ${STREAMS} sessions`, 1],
      ] as const) {
        const node = await MeasuredNode.start(url, "follow", first, STREAMS);
        const { reads, cpu, database } = await measure(lab, writer, [node]);
        rows.push([what, reads.toFixed(0), share(cpu), `+ ${share(database - alone.database)}`]);
        await node.stop();
      }
      await writer.stop();
      const costs = [await measureNotices(lab, url), await measureTogether(lab, url)];
      return `${toMarkdown(rows).join("\n")}\n\n${costs.join("\n")}\n`;
    });
  });
  return absent ?? answer;
}

async function measure(lab: PostgresLab, writer: MeasuredNode, nodes: readonly MeasuredNode[]) {
  // The followers read what is there, and the node finds the end of the feed.
  await Promise.all([writer.run(1500, RATE), ...nodes.map((node) => node.run(1500, 0))]);
  const before = serverCpu(lab);
  const [, ...found] = await Promise.all([
    writer.run(MS, RATE),
    ...nodes.map((node) => node.run(MS, 0)),
  ]);
  const database = (serverCpu(lab) - before) / MS;
  const [{ done = 0, cpu = 0 } = {}] = found;
  return { reads: (done * 1000) / MS, cpu: cpu / MS, database };
}

/** The cost of a notice for each process that listens. */
async function measureNotices(lab: PostgresLab, url: string): Promise<string> {
  const open = async () => {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    return client;
  };
  const sender = await open();
  const notify = async () => {
    const before = serverCpu(lab);
    const start = performance.now();
    for (let sent = 0; sent < NOTICES; sent += 1) {
      await sender.query("SELECT pg_notify('measured', $1)", ["x".repeat(200)]);
      const wait = start + sent * 2 - performance.now();
      if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait));
    }
    return serverCpu(lab) - before;
  };
  await notify();
  const alone = await notify();
  const listeners = await Promise.all(Array.from({ length: LISTENERS }, open));
  let heard = 0;
  for (const listener of listeners) {
    listener.on("notification", () => {
      heard += 1;
    });
    await listener.query("LISTEN measured");
  }
  const { user, system } = process.cpuUsage();
  const together = await notify();
  const used = process.cpuUsage({ user, system });
  for (const client of [sender, ...listeners]) await client.end();
  const each = ((together - alone) * 1000) / NOTICES / LISTENERS;
  const own = (used.user + used.system) / Math.max(1, heard);
  return `A notice costs the database ${(alone / NOTICES).toFixed(3)} ms, and ${each.toFixed(1)} µs more for each of ${LISTENERS} listeners; receiving it costs ${own.toFixed(0)} µs at most.`;
}

/** The cost of streams that are read together, as tokens are. */
async function measureTogether(lab: PostgresLab, url: string): Promise<string> {
  const store = await openPostgresStore({ url, isAlive: () => null });
  const reads = Array.from({ length: TOGETHER }, (_, nth) => ({ ref: { id: idOf(nth + 1) } }));
  const missing = (await store.read(reads)).flatMap((part, nth) => (part ? [] : [idOf(nth + 1)]));
  for (const id of missing) await keep(store, begin(id));
  const before = serverCpu(lab);
  for (let round = 0; round < ROUNDS; round += 1) await store.read(reads);
  const each = (serverCpu(lab) - before) / ROUNDS / TOGETHER;
  await store.close();
  return `Reading ${TOGETHER} streams together costs the database ${(each * 1000).toFixed(1)} µs for each.`;
}

/** Milliseconds that all processes of the server have used. */
function serverCpu({ server }: PostgresLab): number {
  const [postmaster = ""] = readFileSync(
    join(server.folder, "data", "postmaster.pid"),
    "utf8",
  ).split("\n");
  let ticks = 0;
  for (const pid of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
    const fields = readStat(pid);
    if (pid === postmaster) ticks += sum(fields, 11, 12, 13, 14);
    else if (fields[1] === postmaster) ticks += sum(fields, 11, 12);
  }
  return ticks * 10;
}

/** The fields after the name of the program: state, parent, ... */
function readStat(pid: string): string[] {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "utf8");
    return text.slice(text.lastIndexOf(")") + 2).split(" ");
  } catch {
    return [];
  }
}

function sum(fields: readonly string[], ...indexes: readonly number[]): number {
  return indexes.reduce((all, index) => all + Number(fields[index] ?? 0), 0);
}

function share(cpu: number): string {
  return `${(cpu * 100).toFixed(1)} %`;
}

class MeasuredNode {
  readonly #child: ChildProcess;
  readonly #lines: AsyncIterator<string>;

  private constructor(child: ChildProcess, lines: AsyncIterator<string>) {
    this.#child = child;
    this.#lines = lines;
  }

  static async start(url: string, role: string, first: number, count: number) {
    const args = [join(import.meta.dirname, "follower-node.ts"), url, role, `${first}`, `${count}`];
    const child = spawn(process.execPath, args, { stdio: ["pipe", "pipe", "inherit"] });
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    await lines.next();
    return new MeasuredNode(child, lines);
  }

  async run(ms: number, rate: number): Promise<{ readonly done: number; readonly cpu: number }> {
    this.#child.stdin?.write(`${ms} ${rate}\n`);
    const { value } = await this.#lines.next();
    const [done = 0, cpu = 0] = String(value).split(" ").map(Number);
    return { done, cpu };
  }

  async stop(): Promise<void> {
    const exited = once(this.#child, "exit");
    this.#child.stdin?.end();
    await exited;
  }
}
