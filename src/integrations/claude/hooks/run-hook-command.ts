import { existsSync, read, writeSync } from "node:fs";
import { startDeadline, uptime } from "./deadline.ts";
import type { HookDeps } from "./hook-deps.ts";
import { BadPayload } from "./payload.ts";
import { runHook } from "./run-hook.ts";

/**
 * `belay hook NAME`: reads a payload, prints an answer, and always returns 0. The caller must exit at once, because
 * work that has passed its deadline may still be running.
 */
export async function runHookCommand(args: readonly string[], deps: HookDeps): Promise<number> {
  const [name = "", flag] = args;
  if (flag === "--test") {
    const { runSelfTest } = await import("./watch.ts");
    return runSelfTest(deps, runHook, write);
  }
  if (name === "--help" || name === "-h") {
    write(HELP);
    return 0;
  }
  const deadline = startDeadline(uptime());
  // Ctrl-C is meant for the agent; recording takes less than a second.
  if (name !== "pre-delegate") for (const signal of SIGNALS) process.on(signal, () => {});
  // One thread reads standard input; Node would start four.
  process.env.UV_THREADPOOL_SIZE ??= "1";
  let isReading = true;
  const stdin = readStdin().finally(() => {
    isReading = false;
  });
  const { stdout, exitCode } = await runHook(name, stdin, deps, deadline);
  write(stdout);
  if (isReading) leave();
  return exitCode;
}

const HELP = `Answer a hook: reads one JSON payload from standard input and always exits with 0.

Usage: belay hook pre-delegate [--test]
       belay hook subagent-stop
       belay hook claude-code

Example
  echo '{"agent_name": "terraform-architect", "agent_id": "agent-123"}' | belay hook pre-delegate
`;

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** A missing or slow reader must not make the hook fail. */
function write(text: string): void {
  const bytes = Buffer.from(text);
  const end = uptime() + WRITE_MS;
  for (let done = 0; done < bytes.length; ) {
    try {
      done += writeSync(1, bytes, done);
    } catch (error) {
      const isFull = error instanceof Error && "code" in error && error.code === "EAGAIN";
      if (!isFull || uptime() > end) return;
    }
  }
}

const WRITE_MS = 100;

/** While a read of standard input is stuck, exiting would wait for its thread. Replacing the program does not. */
function leave(): void {
  if (existsSync("/bin/true")) process.execve?.("/bin/true", ["true"], {});
  process.execve?.(process.execPath, [process.execPath, "--eval", ""], {});
}

const MOST_BYTES = 8 * 1024 * 1024;
const CHUNK = 64 * 1024;
/** The pipe was made non-blocking, so the only way to wait for more data is to poll. */
const LOOK_AGAIN_MS = 2;

/**
 * Reads all of standard input in the background, so that a writer that never closes it cannot block the deadline. Input
 * that is too large is read to its end, so that the writer is not cut off.
 */
async function readStdin(): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for (;;) {
    const chunk = await readChunk();
    if (chunk.length === 0) break;
    size += chunk.length;
    if (size <= MOST_BYTES) chunks.push(chunk);
  }
  if (size <= MOST_BYTES) return Buffer.concat(chunks).toString("utf8");
  throw new BadPayload(`the payload is larger than ${MOST_BYTES} bytes`);
}

function readChunk(): Promise<Buffer> {
  const chunk = Buffer.allocUnsafe(CHUNK);
  return new Promise((resolve, reject) => {
    read(0, chunk, 0, CHUNK, null, (error, size) => {
      if (!error) resolve(chunk.subarray(0, size));
      else if (error.code === "EAGAIN") setTimeout(() => resolve(readChunk()), LOOK_AGAIN_MS);
      else if (error.code === "EOF") resolve(chunk.subarray(0, 0));
      else reject(error);
    });
  });
}
