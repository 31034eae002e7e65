import { spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";

export interface Ended {
  readonly killed: boolean;
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** How a process dies: at a random moment, or as it enters its n-th call that writes to the disk. */
export type Kill =
  | { readonly kind: "after"; readonly milliseconds: number }
  | { readonly kind: "at call"; readonly call: "pwrite64" | "fsync"; readonly nth: number };

/** Runs a script on this Node until it ends or is killed. The clock starts when it reports that it is up. */
export async function runProcess(
  args: readonly string[],
  variables: NodeJS.ProcessEnv,
  kill?: Kill,
): Promise<Ended> {
  const node = [process.execPath, ...args];
  const [program = "", ...rest] = kill?.kind === "at call" ? [...traced(kill), ...node] : node;
  const child = spawn(program, rest, {
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, NODE_OPTIONS: "", ...variables },
  });
  let [stdout, stderr] = ["", ""];
  const isUp = Promise.withResolvers<void>();
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    stdout += text;
    isUp.resolve();
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
  });
  const closed = once(child, "close").then(() => isUp.resolve());
  if (kill?.kind === "after") {
    // The command line prints nothing before it is done, so it gets time to start instead.
    await Promise.race([isUp.promise, sleep(60)]);
    await Promise.race([closed, sleep(kill.milliseconds)]);
    child.kill("SIGKILL");
  }
  await closed;
  return { killed: child.signalCode === "SIGKILL", code: child.exitCode, stdout, stderr };
}

function traced({ call, nth }: Extract<Kill, { kind: "at call" }>): string[] {
  const inject = `inject=${call}:signal=SIGKILL:when=${nth}`;
  return ["strace", "-f", "-qq", "-o", "/dev/null", "-e", `trace=${call}`, "-e", inject];
}
