import { closeSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { SessionHead } from "../../contract/head.ts";
import { markdownText, visibleText } from "../../contract/visible-text.ts";
import type { RecoveryPlan, RecoveryQuestion } from "../../core/recovery/plan-recovery.ts";
import { errorCode } from "../../files/file-refusal.ts";
import { makeFolder } from "../../files/make-folder.ts";
import { createFile } from "../../files/open-file.ts";
import { withFolder } from "../../files/open-folder.ts";

/**
 * Writes the next `CHECKPOINT_<n>.md`: what happened, the evidence, the rollback, and how to answer. It is only for
 * reading; text that someone adds is not an answer.
 */
export function writeCheckpointFile(
  folder: string,
  head: SessionHead,
  plan: RecoveryPlan,
  question: RecoveryQuestion,
): string {
  makeFolder(folder);
  const text = describe(head, plan, question);
  return withFolder({ root: folder, names: [] }, (open) => {
    for (let nth = nextNumber(folder); ; nth += 1) {
      const name = `CHECKPOINT_${nth}.md`;
      if (writeNew(open.entry(name), text)) return join(folder, name);
    }
  });
}

/** False if the name already exists. */
function writeNew(path: string, text: string): boolean {
  let file: number;
  try {
    file = createFile(path);
  } catch (error) {
    if (errorCode(error) === "EEXIST") return false;
    throw error;
  }
  try {
    writeFileSync(file, text);
    return true;
  } finally {
    closeSync(file);
  }
}

function nextNumber(folder: string): number {
  const numbers = readdirSync(folder).map((name) =>
    Number(/^CHECKPOINT_(\d+)\.md$/.exec(name)?.[1] ?? 0),
  );
  return Math.max(0, ...numbers) + 1;
}

/** Indented, so that nothing in the text counts as part of the document. */
function indented(text: string): string[] {
  return visibleText(text)
    .trimEnd()
    .split("\n")
    .map((line) => `    ${line}`);
}

function describe(
  head: SessionHead,
  plan: RecoveryPlan,
  { approval_id, title, rollback = [] }: RecoveryQuestion,
): string {
  return [
    `# ${markdownText(title)}`,
    "",
    `Session ${head.session_id} of ${markdownText(head.agent_name)}: recovery is awaiting-approval.`,
    "",
    "## Evidence",
    "",
    "| action | effects | process | plan | why |",
    "|---|---|---|---|---|",
    ...plan.actions.map(
      ({ title: what, effects, process, pid, step, why }) =>
        `| ${markdownText(what)} | ${effects} | ${process}${pid === null ? "" : ` (pid ${pid})`} | ${step} | ${markdownText(why)} |`,
    ),
    "",
    ...plan.actions.flatMap(({ title: what, tail }) =>
      tail === null
        ? []
        : [`The end of the output of ${markdownText(what)}:`, "", ...indented(tail), ""],
    ),
    "## Rollback steps",
    "",
    ...(rollback.length === 0
      ? ["None were given with these actions."]
      : rollback.flatMap(({ title: what, command }, at) => [
          `${at + 1}. ${markdownText(what)}:`,
          "",
          ...indented(command).map((line) => `   ${line}`),
          "",
        ])),
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
