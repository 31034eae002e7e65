import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, it } from "vitest";
import type { LogEvent } from "../../src/index.ts";
import { openBelay } from "../../src/index.ts";
import { MARKER_VARIABLE } from "../../src/process/process-tree.ts";
import { bundleWorker, CACHE } from "./bundle-worker.ts";
import { runWorker, startWorker } from "./run-worker.ts";
import { sampleSize } from "./sample-size.ts";
import { say } from "./say.ts";
import { seededRandom } from "./seeded-random.ts";
import { temporaryFolder } from "./temporary-folder.ts";

const KILLS = sampleSize({ full: 200, sample: 20 });
const SESSIONS = ["kill-a", "kill-b", "kill-c"];
const SEED = Number(process.env.BELAY_SEED ?? Date.now() % 1_000_000);

it("kills of drivers and agents at random moments leave every prompt one outcome and every call one result", async () => {
  const home = temporaryFolder();
  const random = seededRandom(SEED);
  await prepare(home);
  const kills = { drivers: 0, agents: 0 };
  while (kills.drivers + kills.agents < KILLS) {
    const driver = await startDriver(home);
    await sleep(300 + random(1100));
    const how = random(3);
    if (how > 0) kills.agents += killAgents(home);
    if (how === 2) await sleep(random(500));
    driver.kill("SIGKILL");
    await once(driver, "exit");
    kills.drivers += 1;
  }
  const ended = await runWorker("agent-driver", [home, SESSIONS.join(","), "last"]);
  expect(ended.stderr).toBe("");
  expect(ended.code).toBe(0);
  const found = await judge(home);
  say(
    `${kills.drivers} drivers and ${kills.agents} agents killed (seed ${SEED}): ${found.sent} prompts acknowledged, ` +
      `${found.interrupted} turns cut short, ${found.calls} tool calls, ${found.unknown} of unknown outcome`,
  );
  expect(found.problems).toEqual([]);
  expect(found.interrupted).toBeGreaterThan(KILLS / 20);
  expect(found.calls).toBeGreaterThan(KILLS / 20);
}, 600_000);

async function prepare(home: string): Promise<void> {
  mkdirSync(join(home, "work"));
  const args = [await bundleWorker("demo-agent")];
  const env = { BELAY_DEMO_FOLDER: join(home, "memory"), NODE_COMPILE_CACHE: CACHE };
  const agent = { command: process.execPath, args, env };
  writeFileSync(join(home, "agents.json"), JSON.stringify({ agents: { agent } }));
}

/** Running, and with a first message acknowledged. */
async function startDriver(home: string): Promise<ChildProcess> {
  const before = linesOf(join(home, "sent.txt")).length;
  const driver = await startWorker("agent-driver", [home, SESSIONS.join(",")]);
  for (let waited = 0; waited < 30_000; waited += 10) {
    if (linesOf(join(home, "sent.txt")).length > before) return driver;
    if (driver.exitCode !== null) throw new Error(`the driver exited with ${driver.exitCode}`);
    await sleep(10);
  }
  throw new Error("the driver sent nothing");
}

function killAgents(home: string): number {
  const agents = processesOf(home).filter((pid) => commandOf(pid).includes("demo-agent"));
  for (const pid of agents) process.kill(pid, "SIGKILL");
  return agents.length;
}

/** All processes that agents of this data folder have started. */
function processesOf(home: string): number[] {
  return readdirSync("/proc")
    .map(Number)
    .filter((pid) => {
      const variables = Number.isInteger(pid) ? read(`/proc/${pid}/environ`).split("\0") : [];
      return (
        variables.includes(`BELAY_HOME=${home}`) &&
        variables.some((variable) => variable.startsWith(MARKER_VARIABLE))
      );
    });
}

async function judge(home: string) {
  const problems: string[] = [];
  const sent = linesOf(join(home, "sent.txt")).map((line) => line.split(" "));
  const counted = { sent: sent.length, interrupted: 0, calls: 0, unknown: 0, problems };
  const belay = await openBelay({ home });
  try {
    for (const id of SESSIONS) {
      const log = await readLog(belay, id);
      const ends = groupBy(log, "turn.ended", "turn_id");
      const results = groupBy(log, "action.completed", "action_id");
      const queued = groupBy(log, "message.queued", "turn_id");
      for (const [, session, turn = ""] of sent) {
        if (session !== id) continue;
        if (queued.get(turn)?.length !== 1) problems.push(`prompt ${turn} is there not once`);
        if (ends.get(turn)?.length !== 1) problems.push(`turn ${turn} has not one outcome`);
      }
      for (const event of log) {
        const { type, data } = event;
        if (type === "turn.ended" && data.outcome !== "completed") counted.interrupted += 1;
        if (type !== "action.started") continue;
        counted.calls += 1;
        const done = results.get(String(data.action_id)) ?? [];
        if (done.length !== 1) problems.push(`call ${data.action_id} has ${done.length} results`);
        if (isUnknown(done[0])) counted.unknown += 1;
      }
      problems.push(...repeatedText(log));
    }
    const { ok } = await belay.maintenance.verify();
    if (!ok) problems.push("verify finds damage");
  } finally {
    await belay.close();
  }
  const effects = linesOf(join(home, "work", "effects.txt"));
  if (new Set(effects).size !== effects.length) problems.push("a command ran twice");
  const left = processesOf(home);
  if (left.length > 0) problems.push(`left running: ${left.map(commandOf).join(", ")}`);
  return counted;
}

/** Each part continues its item where the previous one ended. */
function repeatedText(log: readonly LogEvent[]): string[] {
  const ends = new Map<string, number>();
  return log.flatMap(({ type, data, seq }) => {
    if (type !== "turn.part") return [];
    const place = `${data.turn_id} ${data.item}`;
    const { offset, text } = data;
    const fits = offset === (ends.get(place) ?? 0);
    ends.set(place, Number(offset) + String(text).length);
    return fits ? [] : [`part ${seq} does not continue its item`];
  });
}

async function readLog(belay: Awaited<ReturnType<typeof openBelay>>, id: string) {
  const log: LogEvent[] = [];
  for (let after: number | null = 0; after !== null; ) {
    const page: { events: LogEvent[]; next_cursor: number | null } = await belay.sessions.log({
      id,
      after,
      limit: 1000,
    });
    log.push(...page.events);
    after = page.next_cursor;
  }
  return log;
}

function groupBy(log: readonly LogEvent[], type: string, field: string) {
  return Map.groupBy(
    log.filter((event) => event.type === type),
    ({ data }) => String(data[field]),
  );
}

function isUnknown(event: LogEvent | undefined): boolean {
  const details = event?.data.details;
  return typeof details === "object" && details !== null && "outcome" in details
    ? details.outcome === "unknown"
    : false;
}

function linesOf(path: string): string[] {
  return existsSync(path) ? read(path).split("\n").filter(Boolean) : [];
}

function commandOf(pid: number): string {
  return read(`/proc/${pid}/cmdline`).replaceAll("\0", " ");
}

function read(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
