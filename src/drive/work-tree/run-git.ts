import { spawn } from "node:child_process";
import { accessSync, constants } from "node:fs";
import { delimiter, isAbsolute, join } from "node:path";

/** A git command failed. The message has its output. */
export class GitFailure extends Error {
  constructor(command: string, said: string) {
    super(`git ${command} failed: ${said.trim().slice(0, 500) || "no reason given"}`);
    this.name = "GitFailure";
  }
}

export interface GitCall {
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  readonly input?: string | Buffer;
  /** The most bytes of output. Git is ended when it writes more. */
  readonly most?: number;
  /** Exit codes that are not failures. */
  readonly accepts?: readonly number[];
}

/** Runs git with exactly this environment and returns its output. */
export async function runGit(args: readonly string[], call: GitCall): Promise<Buffer> {
  const program = findGit(process.env.PATH ?? "");
  if (program === null) throw new GitFailure(args[0] ?? "", "git is not installed");
  const child = spawn(program, args, { cwd: call.cwd, env: call.env, stdio: "pipe" });
  const { most = Number.POSITIVE_INFINITY, accepts = [0] } = call;
  const out: Buffer[] = [];
  let size = 0;
  let said = "";
  child.stdout.on("data", (part: Buffer) => {
    if (size < most) out.push(part.subarray(0, most - size));
    size += part.length;
    if (size >= most) child.kill();
  });
  child.stderr.setEncoding("utf8").on("data", (part: string) => {
    if (said.length < 4096) said += part;
  });
  // If git ends early, its exit code and output say why.
  child.stdin.on("error", () => {});
  child.stdin.end(call.input ?? "");
  const code = await new Promise<number | null>((resolve, reject) => {
    child.on("error", reject);
    child.on("close", resolve);
  });
  if (size >= most) return Buffer.concat(out);
  if (code === null || !accepts.includes(code)) throw new GitFailure(args[0] ?? "", said);
  return Buffer.concat(out);
}

/** Skips relative folders on the path, because they could be inside the recorded folder. */
export function findGit(path: string): string | null {
  for (const folder of path.split(delimiter)) {
    if (!isAbsolute(folder)) continue;
    const program = join(folder, "git");
    try {
      accessSync(program, constants.X_OK);
      return program;
    } catch {}
  }
  return null;
}
