import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Lab } from "./lab.ts";
import type { Absent, SideBySide } from "./side-by-side.ts";

const name = "LangGraph SQLite saver";
const folder = join(import.meta.dirname, "peers");
const run = promisify(execFile);

/** Runs the peer in a process of its own, so that its native addon and its memory stay out of this one. */
export async function measureLanggraph(lab: Lab): Promise<SideBySide | Absent> {
  try {
    await install(lab);
    const { turns, sessions } = lab.scale.sideBySide;
    const script = join(folder, "langgraph-sqlite.mjs");
    const { stdout } = await run(process.execPath, [script, String(turns), String(sessions)]);
    const measured: Omit<SideBySide, "name"> = JSON.parse(stdout);
    return { name, ...measured };
  } catch (error) {
    return { name, absent: reason(error) };
  }
}

async function install(lab: Lab): Promise<void> {
  if (await loads()) return;
  lab.progress("  installing bench/peers ...");
  // better-sqlite3 brings its compiled addon along, so no script of any package has to run.
  await run("npm", ["ci", "--prefix", folder, "--ignore-scripts", "--no-audit", "--no-fund"]);
  if (!(await loads())) throw new Error("installed, but better-sqlite3 does not load on this Node");
}

async function loads(): Promise<boolean> {
  const check =
    "import('better-sqlite3').then(({ default: Database }) => new Database(':memory:'))";
  return run(process.execPath, ["--eval", check], { cwd: folder }).then(
    () => true,
    () => false,
  );
}

/** What went wrong in a line: a report carries no stacks, and paths of the machine least of all. */
function reason(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  const told = message.split("\n").filter((line) => !/^Command failed|complete log/.test(line));
  const line = told.join(" ").replaceAll(/\s+/g, " ").trim();
  return (line || "it failed without a word")
    .replaceAll(/(?<![:/\w])(?:\/[\w.@-]+){2,}/g, "<path>")
    .slice(0, 200);
}
