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
  try {
    await install(lab);
    const { turns, sessions } = lab.scale.sideBySide;
    const args = [join(folder, script), String(turns), String(sessions)];
    const { stdout } = await run(process.execPath, args);
    const measured: Omit<SideBySide, "name"> = JSON.parse(stdout);
    return { name, ...measured };
  } catch (error) {
    return { name, absent: reason(error) };
  }
}

async function install(lab: Lab): Promise<void> {
  if (await loads()) return;
  lab.progress("  installing bench/peers ...");
  // Their drivers include compiled addons, so no script of any package has to run.
  await run("npm", ["ci", "--prefix", folder, "--ignore-scripts", "--no-audit", "--no-fund"]);
  if (!(await loads())) throw new Error("installed, but a driver does not load on this Node");
}

async function loads(): Promise<boolean> {
  const check =
    "import('@mastra/libsql').then(() => import('better-sqlite3')).then(({ default: Database }) => new Database(':memory:'))";
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
