import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach } from "vitest";
import type { Belay, RunEvent } from "../../src/index.ts";
import { openBelay } from "../../src/index.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const opened: Lab[] = [];
const folders: string[] = [];

afterEach(async () => {
  await Promise.all(opened.splice(0).map((lab) => lab.belay.close()));
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

export interface Lab {
  readonly belay: Belay;
  readonly home: string;
  /** Where its agents work. */
  readonly cwd: string;
}

/** A data folder of its own with one agent, `agent`: the demo agent with flags, or another command. */
export async function openLab(settings: AgentSettings = {}): Promise<Lab> {
  const home = mkdtempSync(join(tmpdir(), "belay-run-"));
  folders.push(home);
  const cwd = join(home, "work");
  mkdirSync(cwd);
  writeAgent(home, settings);
  return reopenLab(home);
}

/** Another handle on the same data, as another process would have. */
export async function reopenLab(home: string): Promise<Lab> {
  const lab = { belay: await openBelay({ home }), home, cwd: join(home, "work") };
  opened.push(lab);
  return lab;
}

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
  const demo = [process.execPath, join(root, "src/agent/demo/main.ts"), ...flags];
  const [command, ...args] = given ?? demo;
  const env = { BELAY_DEMO_FOLDER: join(home, "memory") };
  const agents = { agent: { command, args, env, ...rest } };
  writeFileSync(join(home, "agents.json"), JSON.stringify({ agents }), { mode: 0o600 });
}

/** Sends a message and hears all that happens; permissions are answered as `decide` says. */
export async function talk(
  { belay, cwd }: Lab,
  message: string,
  options: {
    readonly id?: string;
    readonly decide?: "approved" | "rejected";
    on?(event: RunEvent): void | Promise<void>;
  } = {},
): Promise<{ readonly id: string; readonly events: RunEvent[] }> {
  const { id, decide = "approved", on } = options;
  const events: RunEvent[] = [];
  const place = id === undefined ? { agent: "agent", cwd } : { id };
  for await (const event of belay.run({ ...place, message })) {
    events.push(event);
    await on?.(event);
    if (event.type === "permission" && event.options.length > 0) {
      await belay.decide_approval({ approval_id: event.approval_id, decision: decide });
    }
  }
  return { id: events[0]?.session_id ?? "", events };
}

/** All that was said as a message. */
export function said(events: readonly RunEvent[]): string {
  return events.flatMap((event) => (event.type === "message" ? event.text : [])).join("");
}

export function typesOf(events: readonly RunEvent[]): string[] {
  return events.map((event) => event.type);
}

export async function logOf({ belay }: Lab, id: string) {
  return (await belay.log({ id, limit: 1000 })).events;
}
