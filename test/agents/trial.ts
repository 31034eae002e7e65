import type { ChildProcess } from "node:child_process";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { textOf } from "../../src/agent/acp/read-fields.ts";
import type { RunEvent } from "../../src/contract/run-event.ts";
import type { LogEvent } from "../../src/contract/session.ts";
import type { RunLimits } from "../../src/drive/run/run-context.ts";
import type { Place } from "./make-place.ts";
import { kill, removePlace } from "./make-place.ts";
import type { ModelServer } from "./model/model-server.ts";
import type { Handle } from "./open-handle.ts";
import { openHandle } from "./open-handle.ts";

const BELAY = new URL("../../bin/belay.mjs", import.meta.url);

/** The result of one prompt. */
export interface Answer {
  readonly text: string;
  /** The number of pieces of the text. */
  readonly pieces: number;
  /** The outcome of the turn, with the reason of a failure. */
  readonly outcome: string;
}

/** One session with one agent, through all steps. */
export class Trial {
  readonly agent: string;
  readonly place: Place;
  readonly model: ModelServer;
  id = "";
  #belay: Handle | null = null;
  #leaving: Promise<void> | null = null;
  readonly #children = new Set<ChildProcess>();

  constructor(agent: string, place: Place, model: ModelServer) {
    this.agent = agent;
    this.place = place;
    this.model = model;
  }

  get belay(): Handle {
    if (!this.#belay) throw new Error("Belay is not open");
    return this.#belay;
  }

  /** Opens Belay again; agents of the previous handle are ended. */
  async open(limits: Partial<RunLimits> = {}): Promise<void> {
    await this.close();
    if (this.isOver) throw new Error("the trial is over");
    this.#belay = await openHandle(this.place.home, limits);
  }

  async close(): Promise<void> {
    const belay = this.#belay;
    this.#belay = null;
    await belay?.close();
  }

  async say(message: string, on?: (event: RunEvent) => Promise<void>): Promise<Answer> {
    const { agent, id, place } = this;
    const where = id === "" ? { agent, cwd: place.work } : { id };
    const pieces: string[] = [];
    let outcome = "never ended";
    for await (const event of this.belay.run({ ...where, message })) {
      this.id = event.session_id;
      if (event.type === "message") pieces.push(event.text);
      if (event.type === "completed") outcome = event.outcome;
      if (event.type === "error") outcome = `failed: ${event.message}`;
      await on?.(event);
    }
    return { text: pieces.join(""), pieces: pieces.length, outcome };
  }

  async log(after = 0): Promise<LogEvent[]> {
    const { events } = await this.belay.call("log", { id: this.id, after, limit: 1000 });
    return events;
  }

  /** The seq of the log. */
  async seq(): Promise<number> {
    return (await this.log()).at(-1)?.seq ?? 0;
  }

  /** How the agent opened its session the last time, and how long that took. */
  async opening(): Promise<{ readonly way: string; readonly seq: number; readonly told: string }> {
    const events = await this.log();
    const started = events.findLast(({ type }) => type === "agent.started");
    const turn = events.findLast(
      ({ type, seq }) => type === "turn.started" && seq < (started?.seq ?? 0),
    );
    if (!started || !turn) throw new Error("the agent has not been started");
    const seconds = (Date.parse(started.at) - Date.parse(turn.at)) / 1000;
    const way = textOf(started.data.way) ?? "";
    return { way, seq: started.seq, told: `${way}, ready after ${seconds.toFixed(1)} s` };
  }

  /** A file that exists once the agent has run a hook of the project's Claude Code settings. */
  get hookWitness(): string {
    return join(this.place.folder, "a-hook-ran");
  }

  /** Installs Belay's hooks next to one that leaves a trace. */
  async installHooks(): Promise<void> {
    const folder = join(this.place.work, ".claude");
    const witness = { type: "command", command: `touch ${this.hookWitness}` };
    mkdirSync(folder);
    writeFileSync(
      join(folder, "settings.json"),
      JSON.stringify({ hooks: { UserPromptSubmit: [{ hooks: [witness] }] } }),
    );
    const [code] = await once(this.startBelay("hooks", "install", "claude-code"), "exit");
    if (code !== 0) throw new Error("the hooks could not be installed");
  }

  /** Runs a script of this folder as a separate process. */
  start(script: string, ...args: readonly string[]): ChildProcess {
    return this.#start(new URL(script, import.meta.url), [this.place.home, ...args]);
  }

  /** The command line, in the agent's folder. */
  startBelay(...args: readonly string[]): ChildProcess {
    return this.#start(BELAY, args);
  }

  /** The same at a terminal of its own, which closes with the returned process. It gets no SIGHUP then. */
  startAtTerminal(...args: readonly string[]): ChildProcess {
    const words = ["setsid", "-w", process.execPath, fileURLToPath(BELAY), ...args];
    const line = words.map((word) => `'${word}'`).join(" ");
    return this.#spawn("script", ["-qec", line, "/dev/null"]);
  }

  #start(script: URL, args: readonly string[]): ChildProcess {
    return this.#spawn(process.execPath, [fileURLToPath(script), ...args]);
  }

  #spawn(command: string, args: readonly string[]): ChildProcess {
    const child = spawn(command, args, {
      cwd: this.place.work,
      env: { ...process.env, BELAY_HOME: this.place.home },
      stdio: ["ignore", "pipe", "inherit"],
    });
    child.stdout.resume();
    this.#children.add(child);
    child.once("exit", () => this.#children.delete(child));
    return child;
  }

  get isOver(): boolean {
    return this.#leaving !== null;
  }

  /** Removes everything, whatever has happened before. */
  leave(): Promise<void> {
    this.#leaving ??= this.#leave();
    return this.#leaving;
  }

  async #leave(): Promise<void> {
    for (const { pid } of this.#children) if (pid) kill(pid);
    await this.close().catch(() => undefined);
    await removePlace(this.place);
    this.model.close();
  }
}
