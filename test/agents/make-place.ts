import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { listStats, wasStartedWith } from "../../src/process/read-proc.ts";
import type { RealAgent } from "./real-agents.ts";

/** Folders for one agent, so that nothing of the user's is read or written. */
export interface Place {
  readonly folder: string;
  /** Belay's data folder. */
  readonly home: string;
  /** The agent's working folder. */
  readonly work: string;
}

/** Inherited by all processes of an agent and unknown to Belay, so it finds them independently of Belay's own means. */
const VARIABLE = "BELAY_TEST_AGENTS";

export interface InstalledAgent {
  readonly name: string;
  readonly agent: RealAgent;
  readonly program: string;
}

export function makePlace(name: string, agents: readonly InstalledAgent[], model: string): Place {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), `belay-agents-${name}-`)));
  const [home, work, user] = [join(folder, "home"), join(folder, "work"), join(folder, "user")];
  for (const made of [home, work, user]) mkdirSync(made);
  const settings = agents.map((one) => [one.name, setUpAgent(one, { folder, user, model })]);
  const text = JSON.stringify({ agents: Object.fromEntries(settings) });
  writeFileSync(join(home, "agents.json"), text, { mode: 0o600 });
  return { folder, home, work };
}

function setUpAgent(
  { agent, program }: InstalledAgent,
  { folder, user, model }: { folder: string; user: string; model: string },
) {
  const { env, files } = agent.setUp({ user, model });
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(user, path)), { recursive: true });
    writeFileSync(join(user, path), text);
  }
  return {
    command: program,
    ...(agent.mode !== undefined && { mode: agent.mode }),
    env: { ...surroundings(user), [VARIABLE]: folder, ...env },
    // The user's keys are for other models.
    pass_env: [],
    // Some agents retry a failing model silently.
    timeouts: { turn: 60 },
  };
}

/** The agents' programs start with `env node`, and not every Node runs all of them: ours comes first. */
function surroundings(user: string): Record<string, string> {
  return {
    PATH: [dirname(process.execPath), process.env.PATH ?? ""].join(delimiter),
    HOME: user,
    XDG_CONFIG_HOME: join(user, ".config"),
    XDG_DATA_HOME: join(user, ".local", "share"),
    XDG_STATE_HOME: join(user, ".local", "state"),
    XDG_CACHE_HOME: join(user, ".cache"),
    NO_PROXY: "127.0.0.1,localhost",
    no_proxy: "127.0.0.1,localhost",
  };
}

/** The agent's current processes. */
export function processesOf({ folder }: Place): number[] {
  return listStats()
    .map(({ pid }) => pid)
    .filter((pid) => wasStartedWith(pid, `${VARIABLE}=${folder}`));
}

/** Runs at the end in any case: ends processes that Belay has left running. */
export async function removePlace(place: Place): Promise<void> {
  for (let left = processesOf(place); left.length > 0; left = processesOf(place)) {
    for (const pid of left) kill(pid);
    await sleep(50);
  }
  rmSync(place.folder, { recursive: true, force: true, maxRetries: 5 });
}

export function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It has ended by itself.
  }
}
