import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "vitest";
import { acpStarter } from "../../src/agent/acp/acp-connection.ts";
import { composeCatalog } from "../../src/compose-agents.ts";
import { createContext } from "../../src/compose-context.ts";
import { createService } from "../../src/compose-service.ts";
import { isRecord } from "../../src/contract/is-record.ts";
import type { RunInput } from "../../src/contract/method-inputs.ts";
import type { Input } from "../../src/contract/operations.ts";
import type { Approval } from "../../src/contract/session.ts";
import { createAgentRunner } from "../../src/drive/run/agent-runner.ts";
import type { RunLimits } from "../../src/drive/run/run-context.ts";
import { RUN_LIMITS } from "../../src/drive/run/run-context.ts";
import type { Belay, RunEvent } from "../../src/index.ts";
import { openBelay } from "../../src/index.ts";
import { isAlive } from "../../src/process/process-identity.ts";
import { openSqliteStore } from "../../src/store/sqlite/open-sqlite-store.ts";
import { afterEachTest } from "../clean-up.ts";
import { type AgentSettings, processesMarked, until, writeAgent } from "./run-parts.ts";

export { type AgentSettings, processesMarked, until, writeAgent };

const opened: { close(): Promise<void> }[] = [];
const folders: string[] = [];

afterEachTest(async () => {
  await Promise.all(opened.splice(0).map((handle) => handle.close()));
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

export interface Lab {
  readonly belay: Belay;
  readonly home: string;
  /** The working folder of its agents. */
  readonly cwd: string;
}

/** A data folder with one agent, `agent`: the demo agent with flags, or another command. */
export async function openLab(settings: AgentSettings = {}): Promise<Lab> {
  const home = mkdtempSync(join(tmpdir(), "belay-run-"));
  folders.push(home);
  const cwd = join(home, "work");
  mkdirSync(cwd);
  writeAgent(home, settings);
  return reopenLab(home);
}

/** Another handle on the same data, like another process. */
export async function reopenLab(home: string): Promise<Lab> {
  const lab = { belay: await openBelay({ home }), home, cwd: join(home, "work") };
  opened.push(lab.belay);
  return lab;
}

/** A handle whose agents run under its own limits. */
export async function openLimited(home: string, limits: Partial<RunLimits>): Promise<Lab> {
  const store = await openSqliteStore({ folder: home, isAlive });
  const caller = { owner: "local", actor: "test", interface: "library", trace_id: null } as const;
  const runner = createAgentRunner(createContext(store), {
    starter: acpStarter,
    catalog: composeCatalog(home),
    limits: { ...RUN_LIMITS, ...limits },
    driver: "limited",
    wakes: caller.owner,
  });
  const { belay } = await reopenLab(home);
  const service = createService(runner.context);
  const limited = {
    ...belay,
    turns: {
      ...belay.turns,
      send: (input: Input<"send_message">) => service.call("send_message", input, caller),
    },
    run: (input: RunInput) => runner.run(caller, input),
    close: async () => {
      await runner.close();
      await store.close();
    },
  };
  opened.push(limited);
  return { belay: limited, home, cwd: join(home, "work") };
}

/** Sends a message and records all events; permissions are answered by `decide`. */
export async function talk(
  { belay, cwd }: Lab,
  message: string,
  options: {
    readonly id?: string;
    /** `nobody` leaves every question open. */
    readonly decide?: "approved" | "rejected" | "nobody";
    on?(event: RunEvent): void | Promise<void>;
  } = {},
): Promise<{ readonly id: string; readonly events: RunEvent[] }> {
  const { id, decide = "approved", on } = options;
  const events: RunEvent[] = [];
  const place = id === undefined ? { agent: "agent", cwd } : { id };
  for await (const event of belay.run({ ...place, message })) {
    events.push(event);
    await on?.(event);
    if (event.type === "permission" && event.options.length > 0 && decide !== "nobody") {
      await belay.approvals.decide({ approval_id: event.approval_id, decision: decide });
    }
  }
  return { id: events[0]?.session_id ?? "", events };
}

/** All message texts. */
export function said(events: readonly RunEvent[]): string {
  return events.flatMap((event) => (event.type === "message" ? event.text : [])).join("");
}

export function typesOf(events: readonly RunEvent[]): string[] {
  return events.map((event) => event.type);
}

export async function logOf({ belay }: Lab, id: string) {
  return (await belay.sessions.log({ id, limit: 1000 })).events;
}

export type Talk = Awaited<ReturnType<typeof talk>>;

/** All processes of the session. */
export async function processesOf({ belay }: Lab, id: string): Promise<number[]> {
  const { entity_id } = await belay.sessions.get({ id });
  return processesMarked(entity_id);
}

/** The agent's own process, from the log. */
export async function agentPid(lab: Lab, id: string): Promise<number> {
  const started = (await logOf(lab, id)).filter(({ type }) => type === "agent.started").at(-1);
  const process = started?.data.process;
  const pid = isRecord(process) ? process.pid : null;
  if (typeof pid !== "number") throw new Error("the log names no process");
  return pid;
}

export async function killAgent(lab: Lab, id: string): Promise<void> {
  process.kill(await agentPid(lab, id), "SIGKILL");
}

/** Every prompt in the demo agent's memory, in the order of its files and lines. */
export function promptsKept({ home }: Pick<Lab, "home">): string[] {
  const folder = join(home, "memory");
  const files = existsSync(folder) ? readdirSync(folder).filter((n) => n.endsWith(".ndjson")) : [];
  const lines = files.flatMap((name) => readFileSync(join(folder, name), "utf8").split("\n"));
  return lines.flatMap((line) => {
    const kept: unknown = line === "" ? null : JSON.parse(line);
    return isRecord(kept) && kept.kind === "prompt" && typeof kept.text === "string"
      ? [kept.text]
      : [];
  });
}

/** The prompt that ends with this message. */
export function promptEnding(lab: Pick<Lab, "home">, message: string): string {
  const found = promptsKept(lab).find((text) => text.endsWith(message));
  if (found === undefined) throw new Error(`the agent has kept no prompt that ends ${message}`);
  return found;
}

export function find<T extends RunEvent["type"]>(
  events: readonly RunEvent[],
  type: T,
): Extract<RunEvent, { type: T }>[] {
  return events.filter((event): event is Extract<RunEvent, { type: T }> => event.type === type);
}

/** The data of the log's events of one type. */
export async function factsOf(lab: Lab, id: string, type: string) {
  return (await logOf(lab, id)).filter((event) => event.type === type).map(({ data }) => data);
}

/** Waits for the open question of a session, whichever process drives it. */
export function openQuestion({ belay }: Lab, id: string): Promise<Approval> {
  return until("a question", async () => {
    const { approvals } = await belay.approvals.list({});
    return approvals.find((approval) => approval.session_id === id);
  });
}

/** Starts a turn and returns the session's id as soon as it exists, with the result. */
export async function begin(lab: Lab, message: string, options: Parameters<typeof talk>[2] = {}) {
  const started = Promise.withResolvers<string>();
  const done = talk(lab, message, {
    ...options,
    on(event) {
      if (event.type === "started") started.resolve(event.session_id);
      return options.on?.(event);
    },
  });
  done.catch(started.reject);
  return { id: await started.promise, done };
}

/** Checks that the session still answers, with this message's words. */
export async function answers(lab: Lab, id: string, words = "still here"): Promise<Talk> {
  const talked = await talk(lab, `/say ${words}`, { id });
  expect(talked.events.at(-1)).toMatchObject({ type: "completed", outcome: "completed" });
  // Besides the directive the agent answers the notes that it got.
  expect(said(talked.events).split("\n")[0]).toBe(words);
  return talked;
}

/** Every turn and action has exactly one end, and nothing runs. */
export async function expectSettled(lab: Lab, id: string): Promise<void> {
  const session = await lab.belay.sessions.get({ id });
  expect(session).toMatchObject({ open_actions: 0, queued_messages: 0 });
  const log = await logOf(lab, id);
  for (const [begun, ended, key] of [
    ["turn.started", "turn.ended", "turn_id"],
    ["action.started", "action.completed", "action_id"],
  ] as const) {
    const ids = (type: string) =>
      log.filter((event) => event.type === type).map(({ data }) => String(data[key]));
    expect(new Set(ids(ended)).size, `${ended} once`).toBe(ids(ended).length);
    expect(ids(ended)).toEqual(expect.arrayContaining(ids(begun)));
  }
  expect(log.map(({ seq }) => seq)).toEqual(log.map((_, nth) => nth + 1));
  expect(processesMarked(session.entity_id)).toEqual([]);
}
