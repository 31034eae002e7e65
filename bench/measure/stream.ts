import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Lab } from "../lab.ts";
import { median, record } from "../measurements.ts";
import { authorization, serveBelay, serveWith } from "../served.ts";
import { StreamReaders } from "../stream-readers.ts";

const bench = join(import.meta.dirname, "..");
/** Two hundred readers get words as fast as a model writes them. */
const CROWDS = [
  { readers: 1, metric: "stream_ms_1", pieces: "one", apartMs: 3 },
  { readers: 200, metric: "stream_ms_200", pieces: "crowd", apartMs: 20 },
] as const;

/** P10: how long a piece of an answer takes from the agent to an SSE client, against a bare route that reads the pipe. */
export async function measureStream(lab: Lab): Promise<void> {
  const [limit, own] = lab.contenders;
  const home = mkdtempSync(join(tmpdir(), "belay-bench-"));
  const clock = { command: process.execPath, args: [join(bench, "clock-agent.ts")] };
  writeFileSync(join(home, "agents.json"), JSON.stringify({ agents: { clock } }));
  const bare = await serveWith([join(bench, "bare-stream.ts")]);
  const served = await serveBelay(home);
  try {
    const begin = await beginSession(served.url, authorization(home));
    for (const { readers, metric, pieces, apartMs } of CROWDS) {
      const prompt = `${lab.scale.pieces[pieces]} x ${apartMs}`;
      const url = `${served.url}${begin.path}/events`;
      const raw = await StreamReaders.open(readers, bare.url, {});
      const ours = await StreamReaders.open(readers, url, {
        accept: "text/event-stream",
        ...authorization(home),
      });
      const askRaw = () => post(bare.url, {}, prompt).then(() => {});
      const askOurs = () => begin.send(prompt);
      // Both are warm before the first round counts.
      await raw.hear(askRaw);
      await ours.hear(askOurs);
      for (let round = 0; round < lab.scale.claimRounds; round++) {
        record(lab.measurements, limit?.name ?? "", metric, median(await raw.hear(askRaw)));
        record(lab.measurements, own?.name ?? "", metric, median(await ours.hear(askOurs)));
      }
      raw.close();
      ours.close();
    }
  } finally {
    await Promise.all([bare.stop(), served.stop()]);
    rmSync(home, { recursive: true, force: true });
  }
}

async function beginSession(url: string, headers: Readonly<Record<string, string>>) {
  const created = await post(`${url}/sessions`, headers, JSON.stringify({ agent_name: "clock" }));
  const { session_id } = JSON.parse(created);
  const path = `/sessions/${session_id}`;
  return {
    path,
    async send(message: string): Promise<void> {
      await post(`${url}${path}/messages`, headers, JSON.stringify({ message }));
    },
  };
}

async function post(url: string, headers: Readonly<Record<string, string>>, body: string) {
  const type = { "content-type": "application/json" };
  const response = await fetch(url, { method: "POST", headers: { ...type, ...headers }, body });
  const text = await response.text();
  if (!response.ok) throw new Error(`${url}: ${response.status} ${text}`);
  return text;
}
