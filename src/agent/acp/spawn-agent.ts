import { type ChildProcess, type ChildProcessByStdio, spawn } from "node:child_process";
import { statSync } from "node:fs";
import { Socket } from "node:net";
import type { Readable, Writable } from "node:stream";
import type { Process } from "../../contract/action/intent.ts";
import { isolate } from "../../process/isolate.ts";
import { identifyProcess } from "../../process/process-identity.ts";
import { MARKER_VARIABLE } from "../../process/process-tree.ts";
import { supervise, writeDeadline } from "../../process/supervise.ts";
import type { AgentLaunch, Deadline } from "../agent-connection.ts";
import { AgentFailure } from "../agent-connection.ts";
import { TailText } from "./tail-text.ts";

const STDERR_KEPT = 16 * 1024;

/** An agent's process with its pipes. */
export interface AgentProcess {
  readonly child: ChildProcessByStdio<Writable, Readable, Readable>;
  readonly process: Process;
  /** Undefined if another node may drive the session by now: its processes have the same marker and must not be ended. */
  readonly marker: string | undefined;
  readonly stderr: TailText;
  /** Resolves as soon as the process is gone; its output may not be fully read by then. */
  readonly ended: Promise<{ readonly code: number | null; readonly signal: string | null }>;
  /** Resolves when its pipes are closed too. */
  readonly closed: Promise<void>;
}

export async function spawnAgent(launch: AgentLaunch): Promise<AgentProcess> {
  const { name, command, args, cwd } = launch;
  if (!isFolder(cwd)) {
    throw new AgentFailure("not_found", `the working folder of ${name} does not exist: ${cwd}`);
  }
  const env = { ...launch.env, [MARKER_VARIABLE]: launch.marker };
  const child = startChild(launch, env);
  const stderr = new TailText(STDERR_KEPT);
  child.stderr.on("data", (chunk: Buffer) => stderr.add(chunk));
  // A broken pipe adds nothing to the exit of the process.
  for (const pipe of [child.stdin, child.stdout, child.stderr]) pipe.on("error", () => {});
  const ended = new Promise<{ code: number | null; signal: string | null }>((resolve) => {
    child.once("exit", (code, signal) => resolve({ code, signal }));
  });
  const closed = new Promise<void>((resolve) => child.once("close", () => resolve()));
  await new Promise<void>((resolve, reject) => {
    child.once("spawn", resolve);
    child.once("error", (error) => reject(notFound(launch, error)));
  });
  child.on("error", () => {});
  const identity = identifyProcess(child.pid ?? 0);
  const cmd = [command, ...args].join(" ").slice(0, 1000);
  const process = { ...identity, cmd, stdout_path: null, stderr_path: null };
  const marker = launch.deadline ? undefined : launch.marker;
  return { child, process, marker, stderr, ended, closed };
}

function startChild(launch: AgentLaunch, env: NodeJS.ProcessEnv) {
  const { sandbox, deadline } = launch;
  // A sandbox enters the work folder itself, so that a link in it leads nowhere else.
  const cwd = sandbox?.folder ?? launch.cwd;
  const program = sandbox ? isolate(launch, sandbox, launch.cwd) : launch;
  try {
    const supervised = supervise(program, env, cwd, deadline?.at);
    if (!deadline) {
      return spawn(supervised.command, supervised.args, {
        cwd,
        env,
        stdio: ["pipe", "pipe", "pipe"],
      });
    }
    const child = spawn(supervised.command, supervised.args, {
      cwd,
      env,
      stdio: ["pipe", "pipe", "pipe", "pipe"],
    });
    keepAlive(child, deadline);
    return child;
  } catch (error) {
    throw notFound(launch, error);
  }
}

/** Sends each later deadline to the supervisor. */
function keepAlive(child: ChildProcess, deadline: Deadline): void {
  const [, , , beat] = child.stdio;
  if (!(beat instanceof Socket)) return;
  beat
    .on("error", () => {})
    .resume()
    .unref();
  const stop = deadline.onMoved((at) => beat.write(`${writeDeadline(at)}\n`));
  child.once("close", stop).once("error", stop);
}

function notFound({ name, command }: AgentLaunch, error: unknown): AgentFailure {
  const code = error instanceof Error && "code" in error ? error.code : null;
  const why =
    code === "ENOENT"
      ? `there is no command "${command}"; install ${name}, or give the full path of its command`
      : code === "EACCES"
        ? `"${command}" may not be run; make it executable (chmod +x), or name another command`
        : `"${command}" cannot be run: ${error instanceof Error ? error.message : String(error)}`;
  return new AgentFailure("not_found", `${name} cannot be started: ${why}`, error);
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}
