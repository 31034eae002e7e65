import { setTimeout as wait } from "node:timers/promises";
import { BelayError, refuse } from "../../../contract/errors.ts";
import { counted, describeImport } from "../../../contract/import/describe-import.ts";
import type { ImportReport } from "../../../contract/import/import-report.ts";
import { readInstant } from "../../../contract/read-instant.ts";
import { visibleJson, visibleLine } from "../../../contract/visible-text.ts";
import { IMPORT_TOOLS, type ImportTool } from "../../../contract/vocabulary.ts";
import { colors } from "../colors.ts";
import { parseCommand } from "../expect-arguments.ts";
import type { OpenBelay, Program, Terminal } from "../program.ts";
import { cutLine } from "../show/cut-line.ts";
import { withBelay } from "./workspace-commands.ts";

const USAGE = "import TOOL [PATH] [--dry-run] [--since TIME] [--watch] [--yes]";

/** `belay import`: imports another tool's conversations as sessions. */
export async function importFrom(args: readonly string[], program: Program): Promise<number> {
  const { positionals, values } = parseCommand(USAGE, args, [1, 2], {
    "dry-run": { type: "boolean" },
    since: { type: "string" },
    watch: { type: "boolean" },
    yes: { type: "boolean" },
  });
  const [name = "", path] = positionals;
  if (name === "gaia") return importGaia(path, program);
  const tool = IMPORT_TOOLS.find((known) => known === name);
  if (!tool) throw usage(`Cannot import from "${name}". Choose one of: ${TOOLS}.`);
  const since = typeof values.since === "string" ? readSince(values.since) : null;
  const options = { dry_run: values["dry-run"] === true, since };
  const belay = await program.open();
  try {
    const from = path ?? (await belay.imports.home(tool));
    if (path === undefined && values.yes !== true && !(await agree(tool, from, program))) return 0;
    const { terminal } = program;
    return await untilInterrupted(async (signal) => {
      if (values.watch === true) return watch(belay, terminal, tool, from, { ...options, signal });
      const report = await runImport(belay, terminal, tool, from, { ...options, signal });
      terminal.write(terminal.json ? `${visibleJson(report)}\n` : show(report, from));
      if (signal.aborted) {
        terminal.note("Stopped. Imported sessions stay. Run the command again to continue.");
        return INTERRUPTED;
      }
      return report.damage.some(({ line }) => line === null) ? 1 : 0;
    });
  } finally {
    await belay.close();
  }
}

const INTERRUPTED = 130;

/** The first Ctrl-C stops the work after the current step; the second one ends the process. */
async function untilInterrupted<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const stop = new AbortController();
  const end = () => stop.abort();
  process.once("SIGINT", end).once("SIGTERM", end);
  try {
    return await work(stop.signal);
  } finally {
    process.off("SIGINT", end).off("SIGTERM", end);
  }
}

const TOOLS = [...IMPORT_TOOLS, "gaia"].join(", ");

function usage(message: string): BelayError {
  return new BelayError(refuse("usage", `${message} Use: belay ${USAGE}`));
}

function readSince(text: string): number {
  const since = readInstant(text);
  if (Number.isNaN(since)) throw usage(`Invalid time "${text}". Use ISO 8601, such as 2026-01-31.`);
  return since;
}

/** Asks before reading a folder that the user did not name. Programs are not asked. */
async function agree(tool: ImportTool, from: string, { terminal }: Program): Promise<boolean> {
  if (!terminal.interactive || process.stdin.isTTY !== true) return true;
  const { createInterface } = process.getBuiltinModule("node:readline/promises");
  const input = createInterface({ input: process.stdin, output: process.stdout });
  const answer = await input.question(
    `Import the ${tool} conversations in ${visibleLine(from)}? [Y/n] `,
  );
  input.close();
  return !/^\s*n/i.test(answer);
}

type Options = Pick<
  Parameters<OpenBelay["imports"]["run"]>[1],
  "dry_run" | "since" | "seen" | "signal"
>;

async function runImport(
  belay: OpenBelay,
  terminal: Terminal,
  tool: ImportTool,
  path: string,
  options: Options,
): Promise<ImportReport> {
  const bar = terminal.interactive && options.seen === undefined;
  const report = await belay.imports.run(tool, {
    ...{ path, ...options },
    onProgress: ({ files, total, turns }) => {
      if (bar) terminal.draw(`\r${progressBar(files, total)}, ${counted(turns, "turn")}`);
    },
  });
  if (bar) terminal.draw("\r\u001b[K");
  return report;
}

const WIDTH = 24;

export function progressBar(done: number, total: number): string {
  const filled = total === 0 ? WIDTH : Math.floor((done / total) * WIDTH);
  return `[${"#".repeat(filled)}${" ".repeat(WIDTH - filled)}] ${done} of ${total} files`;
}

/** Imports repeatedly while the other tool writes. Ctrl-C ends it. */
async function watch(
  belay: OpenBelay,
  terminal: Terminal,
  tool: ImportTool,
  path: string,
  options: Options & { readonly signal: AbortSignal },
): Promise<number> {
  const { signal } = options;
  const seen = new Map<string, string>();
  terminal.note(`Watching ${path}. Press Ctrl-C to stop.`);
  while (!signal.aborted) {
    const report = await runImport(belay, terminal, tool, path, { ...options, seen });
    if (report.turns > 0 || report.damaged > 0) {
      terminal.write(terminal.json ? `${JSON.stringify(report)}\n` : show(report, path));
    }
    await wait(WATCH_MS, undefined, { signal }).catch(() => undefined);
  }
  return 0;
}

const WATCH_MS = 2000;

function show(report: ImportReport, from: string): string {
  const { tool, conversations, damaged } = report;
  const isEmpty = conversations === 0 && damaged === 0;
  const lines = [
    ...report.damage.map(({ file, line, why }) =>
      colors.yellow(visibleLine(`damaged: ${file}${line === null ? "" : ` line ${line}`}: ${why}`)),
    ),
    ...report.sessions.map(({ session_id, title, state, turns, why }) => {
      const name = cutLine(visibleLine(title ?? ""), LONGEST_TITLE);
      return `${state.padEnd(6)} ${visibleLine(session_id)}  ${name}  (${visibleLine(why ?? counted(turns, "turn"))})`;
    }),
    isEmpty ? visibleLine(`No conversations of ${tool} found in ${from}.`) : describeImport(report),
  ];
  return `${lines.join("\n")}\n`;
}

const LONGEST_TITLE = 60;

async function importGaia(folder: string | undefined, program: Program): Promise<number> {
  if (folder === undefined) throw usage("Name the folder: belay import gaia FOLDER.");
  const { terminal } = program;
  let damaged = 0;
  await withBelay(program, async ({ workspace }) => {
    const report = await workspace.importGaia(folder, (done, total) => {
      if (terminal.interactive && done % 100 === 0) terminal.note(`read ${done} of ${total}`);
    });
    damaged = report.damaged.length;
    if (terminal.json) return report;
    const lines = [
      ...report.damaged.map(({ file, why }) => colors.red(visibleLine(`damaged: ${file}: ${why}`))),
      `imported ${report.imported.length}, already known ${report.known.length}, damaged ${damaged}`,
    ];
    return `${lines.join("\n")}\n`;
  });
  return damaged > 0 ? 1 : 0;
}
