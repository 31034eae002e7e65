import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

/** Runs `enable-program.ts` with the environment of this process. True if it was killed, and did not end by itself. */
export function killEnable(home: string, events: number, tracer: readonly string[] = []): boolean {
  const program = fileURLToPath(new URL("./enable-program.ts", import.meta.url));
  const [command = "", ...args] = [...tracer, process.execPath, program, home, String(events)];
  const { status, signal, stderr } = spawnSync(command, args, { encoding: "utf8" });
  if (status !== 0 && signal !== "SIGKILL") throw new Error(stderr);
  return signal === "SIGKILL";
}
