import { randomUUID } from "node:crypto";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { acpStarter } from "../../../src/agent/acp/acp-connection.ts";
import { QUIRKS } from "../../../src/agent/acp/quirks.ts";
import type {
  AgentConnection,
  AgentLaunch,
  AgentListener,
  AgentUpdate,
  PermissionAnswer,
  PermissionRequest,
} from "../../../src/agent/agent-connection.ts";
import { AgentFailure } from "../../../src/agent/agent-connection.ts";
import type { ChoiceKind } from "../../../src/contract/vocabulary.ts";
import { afterEachTest } from "../../clean-up.ts";
import { PATIENCE_MS } from "../../patience.ts";
import { DEMO_ENV, DEMO_PROGRAM } from "../demo/demo-program.ts";

const root = fileURLToPath(new URL("../../../", import.meta.url));
const NODE = join(root, "node_modules/.bin/node");

export type LaunchChanges = Partial<AgentLaunch>;

/** The demo agent with flags. */
export function demo(flags: readonly string[] = [], changes: LaunchChanges = {}): AgentLaunch {
  const env = { ...everyday(), ...DEMO_ENV, BELAY_DEMO_FOLDER: join(folder(), "memory") };
  const args = [DEMO_PROGRAM, ...flags];
  return { ...plainLaunch("demo", args), quirks: QUIRKS.demo, env, ...changes };
}

/** An agent that plays a scenario of scripted-agent.ts. */
export function scripted(
  scenario: string,
  changes: LaunchChanges = {},
  ...more: string[]
): AgentLaunch {
  const args = [join(root, "test/agent/acp/scripted-agent.ts"), scenario, ...more];
  return { ...plainLaunch("scripted", args), ...changes };
}

function plainLaunch(name: string, args: readonly string[]): AgentLaunch {
  return {
    name,
    command: NODE,
    args,
    env: everyday(),
    cwd: folder(),
    marker: randomUUID(),
    mode: null,
    mcp_servers: [],
    quirks: QUIRKS.plain,
    limits: { initialize: 15_000, open: 10_000, end: 1_000 },
  };
}

function everyday(): Record<string, string> {
  return { PATH: process.env.PATH ?? "" };
}

/** Chooses the first option of this kind. */
export function chooseKind({ options }: PermissionRequest, kind: ChoiceKind): PermissionAnswer {
  return options.find((option) => option.kind === kind) ?? null;
}

/** Records everything, and answers permission requests as configured. */
export class Ears implements AgentListener {
  readonly updates: AgentUpdate[] = [];
  readonly requests: { readonly request: PermissionRequest; readonly signal: AbortSignal }[] = [];
  answer: (request: PermissionRequest) => Promise<PermissionAnswer> = async (request) =>
    chooseKind(request, "allow_once");

  update(update: AgentUpdate): void {
    this.updates.push(update);
  }

  permission(request: PermissionRequest, signal: AbortSignal): Promise<PermissionAnswer> {
    this.requests.push({ request, signal });
    return this.answer(request);
  }

  /** All message texts, joined. */
  said(): string {
    return this.updates
      .flatMap((update) => (update.kind === "message" ? update.text : []))
      .join("");
  }
}

const started: AgentConnection[] = [];
const folders: string[] = [];

/** A folder that is removed after the test. */
export function folder(): string {
  const made = mkdtempSync(join(tmpdir(), "belay-acp-"));
  folders.push(made);
  return made;
}

export async function start(
  launch: AgentLaunch,
  ears: AgentListener = new Ears(),
  starter = acpStarter,
): Promise<AgentConnection> {
  const connection = await starter.start(launch, ears);
  started.push(connection);
  return connection;
}

/** A started agent with a new session open. */
export async function startOpen(
  launch: AgentLaunch,
  ears: AgentListener = new Ears(),
): Promise<AgentConnection> {
  const connection = await start(launch, ears);
  await connection.open({ way: "new" });
  return connection;
}

/** The failure that a promise rejects with. */
export async function failureOf(promise: Promise<unknown>): Promise<AgentFailure> {
  const error = await promise.then(
    () => new Error("it did not fail"),
    (reason: unknown) => reason,
  );
  if (error instanceof AgentFailure) return error;
  throw error;
}

export async function waitFor(
  condition: () => boolean,
  what: string,
  ms = PATIENCE_MS,
): Promise<void> {
  for (const end = performance.now() + ms; !condition(); await sleep(10)) {
    if (performance.now() > end) throw new Error(`waited in vain until ${what}`);
  }
}

afterEachTest(async () => {
  await Promise.all(started.splice(0).map((connection) => connection.end()));
  for (const made of folders.splice(0)) if (existsSync(made)) rmSync(made, { recursive: true });
});
