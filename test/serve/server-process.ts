import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const BIN = fileURLToPath(new URL("../../bin/belay.mjs", import.meta.url));

/** A data folder and a working folder. Nothing of the user who runs the tests is visible there. */
export interface ServerPlace {
  readonly root: string;
  readonly home: string;
  remove(): void;
}

export function newPlace(): ServerPlace {
  const root = mkdtempSync(join(tmpdir(), "belay-serve-"));
  mkdirSync(join(root, "work"));
  return {
    root,
    home: join(root, ".belay"),
    // A program that was killed may still be writing.
    remove: () => rmSync(root, { recursive: true, force: true, maxRetries: 5 }),
  };
}

export function environmentOf({ root, home }: ServerPlace): Record<string, string> {
  return { PATH: process.env.PATH ?? "", HOME: root, BELAY_HOME: home };
}

export interface StartOptions {
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Octal, as in a shell. */
  readonly umask?: string;
  /** A command that runs it. */
  readonly under?: readonly string[];
}

/** A started program, and its output. */
export class RunningProgram {
  readonly child: ChildProcess;
  stdout = "";
  stderr = "";
  /** The exit code, or the signal that ended it. */
  readonly ended: Promise<number | string>;
  hasEnded = false;
  #heard = Promise.withResolvers<void>();

  constructor(command: readonly string[], place: ServerPlace, env: Record<string, string>) {
    const [file = "", ...args] = command;
    this.child = spawn(file, args, {
      cwd: join(place.root, "work"),
      env: { ...environmentOf(place), ...env },
      stdio: ["ignore", "pipe", "pipe"],
    });
    running.add(this);
    this.child.stdout?.setEncoding("utf8").on("data", (text: string) => {
      this.stdout += text;
      this.#notify();
    });
    this.child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      this.stderr += text;
      this.#notify();
    });
    this.ended = new Promise((resolve, reject) => {
      this.child.on("error", reject);
      this.child.on("close", (code, signal) => {
        this.hasEnded = true;
        running.delete(this);
        this.#notify();
        resolve(code ?? signal ?? "");
      });
    });
  }

  /** Resolves with the result of `find` on the output; null if it ends without one. */
  async says<T>(find: () => T | null): Promise<T | null> {
    for (;;) {
      const found = find();
      if (found !== null || this.hasEnded) return found;
      await this.#heard.promise;
    }
  }

  signal(name: NodeJS.Signals): void {
    this.child.kill(name);
  }

  #notify(): void {
    this.#heard.resolve();
    this.#heard = Promise.withResolvers();
  }
}

const running = new Set<RunningProgram>();

/** For a test that failed. */
export async function endAll(): Promise<void> {
  for (const program of running) program.signal("SIGKILL");
  await Promise.all([...running].map(({ ended }) => ended));
}

/** `belay`, as a person types it. */
export function startBelay(
  place: ServerPlace,
  args: readonly string[],
  { env = {}, umask, under = [] }: StartOptions = {},
): RunningProgram {
  const command = [...under, process.execPath, BIN, ...args];
  const shell = ["/bin/sh", "-c", `umask ${umask} && exec "$@"`, "sh"];
  return new RunningProgram(umask === undefined ? command : [...shell, ...command], place, env);
}

export async function runBelay(place: ServerPlace, args: readonly string[], env = {}) {
  const program = startBelay(place, args, { env });
  const code = await program.ended;
  const { stdout, stderr } = program;
  return { code, stdout, stderr, json: readJson(stdout) };
}

/** `belay serve --port 0 --json`, once it has printed its address. */
export async function serve(place: ServerPlace, options: StartOptions = {}): Promise<RealServer> {
  const program = startServing(place, options);
  const line = await program.says(() => /^(.*)\n/.exec(program.stdout)?.[1] ?? null);
  const said = recordOf(readJson(line ?? ""));
  if (typeof said.url !== "string" || typeof said.pid !== "number") {
    throw new Error(`it does not serve: ${program.stdout}${program.stderr}`);
  }
  return new RealServer(place, program, said.url, said.pid);
}

export function startServing(place: ServerPlace, options: StartOptions = {}): RunningProgram {
  const args = ["serve", "--port", "0", "--json", ...(options.args ?? [])];
  return startBelay(place, args, options);
}

export interface Asked {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly json: unknown;
}

/** A server in a separate process. */
export class RealServer {
  readonly place: ServerPlace;
  readonly program: RunningProgram;
  readonly url: string;
  readonly pid: number;

  constructor(place: ServerPlace, program: RunningProgram, url: string, pid: number) {
    this.place = place;
    this.program = program;
    this.url = url;
    this.pid = pid;
  }

  get token(): string {
    return readFileSync(join(this.place.home, "server-token"), "utf8").trim();
  }

  /** By default with the server's own token; a body is sent as JSON. */
  async ask(
    method: string,
    path: string,
    options: {
      readonly body?: unknown;
      readonly token?: string;
      readonly headers?: Readonly<Record<string, string>>;
    } = {},
  ): Promise<Asked> {
    const { body, token = this.token } = options;
    const response = await fetch(`${this.url}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        ...(body !== undefined && { "content-type": "application/json" }),
        ...options.headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, headers: response.headers, text, json: readJson(text) };
  }

  /** A request with exactly these headers, without a token; returns its status. Empty headers are omitted. */
  knock(
    method: string,
    path: string,
    headers: Readonly<Record<string, string>>,
    body = "",
  ): Promise<number> {
    const { hostname, port } = new URL(this.url);
    const given = Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== ""));
    return new Promise((resolve, reject) => {
      const asked = request({ hostname, port, method, path, headers: given, agent: false });
      asked.on("response", (response) => {
        response.resume();
        resolve(response.statusCode ?? 0);
      });
      asked.on("upgrade", (_response, socket) => {
        socket.destroy();
        resolve(101);
      });
      asked.on("error", reject);
      asked.end(body);
    });
  }

  /** Ends it like an operator, and returns its exit code. */
  async end(signal: NodeJS.Signals = "SIGTERM"): Promise<number | string> {
    this.program.signal(signal);
    return this.program.ended;
  }
}

export function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export function recordOf(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null ? { ...value } : {};
}

/** A required text of an answer. */
export function textOf(value: unknown, field: string): string {
  const found = recordOf(value)[field];
  if (typeof found !== "string") throw new Error(`no ${field} in ${JSON.stringify(value)}`);
  return found;
}

export function listOf(value: unknown, field: string): Record<string, unknown>[] {
  const found = recordOf(value)[field];
  if (!Array.isArray(found)) throw new Error(`no ${field} in ${JSON.stringify(value)}`);
  return found.map(recordOf);
}
