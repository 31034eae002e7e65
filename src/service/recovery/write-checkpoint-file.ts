import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { SessionHead } from "../../contract/head.ts";
import type { RecoveryPlan, RecoveryQuestion } from "../../core/plan-recovery.ts";
import { makeFolder } from "../make-folder.ts";

/**
 * Writes the next `CHECKPOINT_<n>.md`: what happened, what shows it, what would be undone, and how to answer. It is for
 * reading; nothing that anyone writes into it is an answer.
 */
export function writeCheckpointFile(
  folder: string,
  head: SessionHead,
  plan: RecoveryPlan,
  question: RecoveryQuestion,
): string {
  makeFolder(folder);
  const text = describe(head, plan, question);
  for (let nth = nextNumber(folder); ; nth += 1) {
    const path = join(folder, `CHECKPOINT_${nth}.md`);
    try {
      writeFileSync(path, text, { flag: "wx", mode: 0o600 });
      return path;
    } catch (error) {
      if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
    }
  }
}

function nextNumber(folder: string): number {
  const numbers = readdirSync(folder).map((name) =>
    Number(/^CHECKPOINT_(\d+)\.md$/.exec(name)?.[1] ?? 0),
  );
  return Math.max(0, ...numbers) + 1;
}

/** Set in, so that nothing in it is read as part of the document. */
function indented(text: string): string[] {
  return text
    .trimEnd()
    .split("\n")
    .map((line) => `    ${line}`);
}

function describe(
  head: SessionHead,
  plan: RecoveryPlan,
  { approval_id, title, rollback = [] }: RecoveryQuestion,
): string {
  const cell = (text: string): string => text.replaceAll("|", "\\|").replaceAll("\n", " ");
  return [
    `# ${title}`,
    "",
    `Session ${head.session_id} of ${head.agent_name}: recovery is awaiting-approval.`,
    "",
    "## Evidence",
    "",
    "| action | effects | process | plan | why |",
    "|---|---|---|---|---|",
    ...plan.actions.map(
      ({ title: what, effects, process, pid, step, why }) =>
        `| ${cell(what)} | ${effects} | ${process}${pid === null ? "" : ` (pid ${pid})`} | ${step} | ${cell(why)} |`,
    ),
    "",
    ...plan.actions.flatMap(({ title: what, tail }) =>
      tail === null ? [] : [`The end of what ${what} had written:`, "", ...indented(tail), ""],
    ),
    "## Rollback steps",
    "",
    ...(rollback.length === 0
      ? ["None were given with these actions."]
      : rollback.map((step, at) => `${at + 1}. ${step.title}: \`${step.command}\``)),
    "",
    "## Answer",
    "",
    "```",
    `belay answer ${approval_id} continue`,
    `belay answer ${approval_id} rollback --dry-run`,
    `belay answer ${approval_id} rollback`,
    `belay answer ${approval_id} abort`,
    "```",
    "",
  ].join("\n");
}
