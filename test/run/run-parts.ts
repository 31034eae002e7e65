import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { MARKER_VARIABLE } from "../../src/process/process-tree.ts";
import { listStats, wasStartedWith } from "../../src/process/read-proc.ts";
import { DEMO_ENV, DEMO_PROGRAM } from "../agent/demo/demo-program.ts";
import { PATIENCE_MS } from "../patience.ts";

/* Parts of the lab that programs outside vitest can use. */

export interface AgentSettings {
  readonly flags?: readonly string[];
  readonly command?: readonly string[];
  readonly permissions?: Readonly<Record<string, string>>;
  readonly effects?: Readonly<Record<string, string>>;
  /** Seconds. */
  readonly timeouts?: Readonly<Record<string, number>>;
  readonly mode?: string;
}

export function writeAgent(home: string, settings: AgentSettings): void {
  const { flags = [], command: given, ...rest } = settings;
  const demo = [process.execPath, DEMO_PROGRAM, ...flags];
  const [command, ...args] = given ?? demo;
  const env = { ...DEMO_ENV, BELAY_DEMO_FOLDER: join(home, "memory") };
  const agents = { agent: { command, args, env, ...rest } };
  writeFileSync(join(home, "agents.json"), JSON.stringify({ agents }), { mode: 0o600 });
}

/** Polls until there is an answer, so that nothing waits longer than necessary. */
export async function until<T>(
  what: string,
  ask: () => T | null | undefined | false | Promise<T | null | undefined | false>,
  ms = PATIENCE_MS,
): Promise<T> {
  for (const end = Date.now() + ms; ; await sleep(15)) {
    const answer = await ask();
    if (answer !== null && answer !== undefined && answer !== false) return answer;
    if (Date.now() > end) throw new Error(`waited ${ms} ms for ${what}`);
  }
}

export function processesMarked(entity_id: string): number[] {
  const entry = `${MARKER_VARIABLE}=${entity_id}`;
  return listStats().flatMap(({ pid }) => (wasStartedWith(pid, entry) ? [pid] : []));
}
