import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Lab } from "./lab.ts";
import type { Absent, SideBySide } from "./side-by-side.ts";

/** Alternatives to Belay. Each runs in a process of its own, so that its addons and memory stay out of this one. */
export const mastra = { name: "Mastra libSQL store", script: "mastra-libsql.mjs" } as const;
export const peers = [
  { name: "LangGraph SQLite saver", script: "langgraph-sqlite.mjs" },
  mastra,
] as const;

const folder = join(import.meta.dirname, "peers");
const run = promisify(execFile);

export async function measurePeer(
  lab: Lab,
  { name, script }: (typeof peers)[number],
): Promise<SideBySide | Absent> {
  const { turns, sessions } = lab.scale.sideBySide;
  const args = [String(turns), String(sessions)];
  const measured = await runPeer<Omit<SideBySide, "name">>(script, args, lab.progress);
  return { name, ...measured };
}

/** The results that a peer's script prints, or the reason why it could not run. */
export async function runPeer<Measured>(
  script: string,
  args: readonly string[],
  progress: Lab["progress"],
): Promise<Measured | Omit<Absent, "name">> {
  try {
    await install(progress);
    const { stdout } = await run(process.execPath, [join(folder, script), ...args]);
    return JSON.parse(stdout);
  } catch (error) {
    return { absent: reason(error) };
  }
}

async function install(progress: Lab["progress"]): Promise<void> {
  if (await loads()) return;
  progress("  installing bench/peers ...");
  // Their drivers include compiled addons, so no script of any package has to run.
  await run("npm", ["ci", "--prefix", folder, "--ignore-scripts", "--no-audit", "--no-fund"]);
  if (!(await loads())) throw new Error("installed, but a driver does not load on this Node");
}

async function loads(): Promise<boolean> {
  const check =
    "import('@mastra/libsql').then(() => import('@langchain/langgraph-checkpoint-postgres')).then(() => import('better-sqlite3')).then(({ default: Database }) => new Database(':memory:'))";
  return run(process.execPath, ["--eval", check], { cwd: folder }).then(
    () => true,
    () => false,
  );
}

/** The problem in one line: a report contains no stacks and no paths of the machine. */
function reason(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  const told = message.split("\n").filter((line) => !/^Command failed|complete log/.test(line));
  const line = told.join(" ").replaceAll(/\s+/g, " ").trim();
  return (line || "it failed without a word")
    .replaceAll(/(?<![:/\w])(?:\/[\w.@-]+){2,}/g, "<path>")
    .slice(0, 200);
}
