import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { BelayError, ERRORS, refuse } from "../../../contract/errors.ts";
import { counted } from "../../../contract/import/describe-import.ts";
import type { RestoreReport } from "../../../contract/recovery.ts";
import type { Task } from "../../../contract/session.ts";
import { markdownText, visibleJson, visibleLine } from "../../../contract/visible-text.ts";
import { MIRRORS } from "../../../contract/vocabulary.ts";
import { replaceFile } from "../../../files/replace-file.ts";
import { colors } from "../colors.ts";
import { expectArguments } from "../expect-arguments.ts";
import type { OpenBelay, Program, Terminal } from "../program.ts";
import { oneRecovery } from "../show/show-recovery.ts";

/** Commands about the current folder. */

export async function trustWorkTree(args: readonly string[], program: Program): Promise<number> {
  expectArguments("checkpoint trust", args, 0);
  const trusted = await program.trustWorkTree();
  const { json, write } = program.terminal;
  write(
    json
      ? `${visibleJson(trusted)}\n`
      : `${colors.green("✓")} checkpoints record the files of ${visibleLine(trusted.root)} from now on\n`,
  );
  return 0;
}

export async function init(args: readonly string[], program: Program): Promise<number> {
  const usage = `init ${MIRRORS.map((name) => `[--mirror ${name}]`).join(" ")} [--plain-mirrors]`;
  const { values } = expectArguments(usage, args, 0, {
    mirror: { type: "string", multiple: true },
    "plain-mirrors": { type: "boolean" },
  });
  const plain = values["plain-mirrors"] === true;
  const asked = [values.mirror ?? []].flat().map(String);
  const mirrors = asked.map((name) => {
    const mirror = MIRRORS.find((known) => known === name);
    if (mirror) return mirror;
    throw new BelayError(
      refuse("usage", `Unknown mirror "${name}". Use one of: ${MIRRORS.join(", ")}.`),
    );
  });
  return withBelay(program, async ({ workspace }) => {
    await workspace.initialize(mirrors, plain);
    const report = await workspace.syncBacklog();
    if (program.terminal.json) return { mirrors, backlog: report };
    const lines = [
      `Initialized ${visibleLine(process.cwd())}`,
      mirrors.length > 0 ? `mirrors: ${mirrors.join(", ")}` : "mirrors: none",
      report
        ? `backlog: ${counted(report.rows, "task")} read from ${visibleLine(report.source)}`
        : "backlog: nothing new",
      ...damagedLines(report?.damaged ?? []),
      ...(mirrors.includes("copilot") ? [IGNORE] : []),
    ];
    return `${lines.join("\n")}\n`;
  });
}

/** Belay's own folders have a `.gitignore`. The workspace's `.gitignore` belongs to the user. */
const IGNORE =
  "git: add events.ndjson and CHECKPOINT_*.md to .gitignore to keep them out of commits";

export async function restore(args: readonly string[], program: Program): Promise<number> {
  const usage = "restore --session-state FILE [--dry-run]";
  const { values } = expectArguments(usage, args, 0, {
    "session-state": { type: "string" },
    "dry-run": { type: "boolean" },
  });
  const file = values["session-state"];
  if (typeof file !== "string") {
    throw new BelayError(refuse("usage", `Usage: belay ${usage}`));
  }
  const { terminal } = program;
  let suspect = 0;
  await withBelay(program, async ({ workspace }) => {
    const report = await workspace.restore(file, { dry_run: values["dry-run"] === true });
    suspect = report.quarantined.length;
    return terminal.json ? report : showRestored(report, terminal);
  });
  return suspect > 0 ? ERRORS.storage_damaged.exit : 0;
}

function showRestored(report: RestoreReport, terminal: Terminal): string {
  const { records, damaged, quarantined, backlog, timeline, recovery } = report;
  const others = records.of_other_sessions;
  const lines = [
    `${visibleLine(report.workspace)}: ${counted(records.used, "record")} used${others > 0 ? `, ${others} belong to other sessions` : ""}`,
    ...damaged.map(({ file, line, why }) =>
      colors.yellow(visibleLine(`damaged: ${file}${line === null ? "" : ` line ${line}`}: ${why}`)),
    ),
    ...quarantined.map((path) => colors.yellow(visibleLine(`moved to ${path}`))),
    ...(backlog
      ? [`backlog: ${counted(backlog.rows, "task")} read from ${visibleLine(backlog.source)}`]
      : []),
    ...(timeline === null ? [] : [colors.dim(visibleLine(`timeline: ${timeline}`))]),
    ...(recovery ? [] : ["No session could be restored from these files."]),
  ];
  return `${lines.join("\n")}\n${recovery ? oneRecovery(recovery, terminal) : ""}`;
}

export async function importTasks(args: readonly string[], program: Program): Promise<number> {
  const { positionals } = expectArguments("tasks import FILE", args, 1);
  const [file = ""] = positionals;
  const path = resolve(file);
  if (!existsSync(path)) {
    throw new BelayError(refuse("invalid_input", `File not found: ${path}.`, { file: path }));
  }
  return withBelay(program, async ({ workspace }) => {
    const report = await workspace.syncBacklog(path);
    if (program.terminal.json) return report ?? { source: file, rows: 0, damaged: [] };
    const lines = [
      `${counted(report?.rows ?? 0, "task")} read`,
      ...damagedLines(report?.damaged ?? []),
    ];
    return `${lines.join("\n")}\n`;
  });
}

export async function writeMasterBacklog(
  args: readonly string[],
  program: Program,
): Promise<number> {
  const usage = "tasks list --format md";
  const { values } = expectArguments(usage, args, 0, { format: { type: "string" } });
  if (values.format !== "md") throw new BelayError(refuse("usage", `Usage: belay ${usage}`));
  return withBelay(program, async ({ service, workspace }) => {
    await workspace.syncBacklog();
    const tasks: Task[] = [];
    let cursor: string | null | undefined;
    while (cursor !== null) {
      const page = await service.call(
        "list_tasks",
        { limit: 1000, ...(cursor !== undefined && { cursor }) },
        program.caller,
      );
      tasks.push(...page.tasks);
      cursor = page.next_cursor;
    }
    const path = join(process.cwd(), "MASTER_BACKLOG.md");
    replaceFile(path, toMarkdown(tasks), { mode: "kept" });
    return program.terminal.json ? { path, tasks: tasks.length } : `Wrote ${visibleLine(path)}\n`;
  });
}

function toMarkdown(tasks: readonly Task[]): string {
  const cell = (text: string | number | null): string => markdownText(String(text ?? ""));
  const rows = tasks.map(
    ({ task_id, title, status, priority, est_hours }) =>
      `| ${[task_id, title, status, priority, est_hours].map(cell).join(" | ")} |`,
  );
  return [
    "# Master backlog",
    "",
    "| id | title | status | priority | est. hours |",
    "|---|---|---|---|---|",
    ...rows,
    "",
  ].join("\n");
}

function damagedLines(numbers: readonly number[]): string[] {
  return numbers.length === 0
    ? []
    : [colors.yellow(`Skipped lines that are not valid backlog entries: ${numbers.join(", ")}`)];
}

export async function withBelay(
  program: Program,
  work: (belay: OpenBelay) => Promise<string | object>,
): Promise<number> {
  const belay = await program.open();
  try {
    const answer = await work(belay);
    program.terminal.write(typeof answer === "string" ? answer : `${visibleJson(answer)}\n`);
    return 0;
  } finally {
    await belay.close();
  }
}
