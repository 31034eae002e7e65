import { counted } from "../../../contract/import/describe-import.ts";
import type { Output } from "../../../contract/operations.ts";
import type { SessionRecovery } from "../../../contract/recovery.ts";
import { visibleLine } from "../../../contract/visible-text.ts";
import type { RecoveryStep } from "../../../contract/vocabulary.ts";
import { answerCommand } from "../answer-command.ts";
import { colors } from "../colors.ts";
import type { Terminal } from "../program.ts";
import { formatTable } from "./table.ts";

const STEPS = {
  proceed: "done",
  wait: "wait for it",
  leave: "leave it running",
  leave_and_ask: "leave it running, ask",
  rerun: "may be repeated",
  rerun_with_key: "repeat with its key",
  ask: "ask",
  retry: "try again",
  review: "review",
} as const satisfies Record<RecoveryStep, string>;

export function recovery(value: Output<"recover">, terminal: Terminal): string {
  const { sessions, failed, checked } = value;
  const problems = failed.map(
    ({ session_id, why }) => `${colors.red(`✗ ${session_id}`)}: ${visibleLine(why)}\n`,
  );
  if (sessions.length === 0 && failed.length === 0) {
    return `Nothing was interrupted. Checked ${counted(checked, "session")}.\n`;
  }
  return sessions.map((session) => oneRecovery(session, terminal)).join("\n") + problems.join("");
}

export function oneRecovery(session: SessionRecovery, { columns }: Terminal): string {
  const asked = session.approval_id;
  const sign = session.status === "ok" ? colors.green("✓") : colors.yellow("?");
  const actions = formatTable(
    session.actions,
    [
      { title: "ACTION", cell: (row) => visibleLine(row.title), shrinks: true },
      { title: "EFFECTS", cell: (row) => row.effects },
      {
        title: "PROCESS",
        cell: (row) => (row.pid === null ? row.process : `${row.process} (${row.pid})`),
      },
      { title: "PLAN", cell: (row) => STEPS[row.step], paint: colors.bold },
      { title: "WHY", cell: (row) => visibleLine(row.why), paint: colors.dim },
    ],
    columns - 2,
  );
  return [
    `${sign} ${colors.bold(session.session_id)} (${visibleLine(session.agent_name)}): ${visibleLine(session.happened)}\n`,
    session.actions.length > 0 ? actions.replace(/^(?=.)/gm, "  ") : "",
    ...session.actions.flatMap(({ removed }) =>
      removed.map(
        (path) => `  ${session.changed ? "removed" : "to be removed"}: ${visibleLine(path)}\n`,
      ),
    ),
    session.next_step === null ? "" : `  next step: ${visibleLine(session.next_step)}\n`,
    asked === null
      ? ""
      : `  ${colors.yellow("needs your answer:")} ${colors.cyan(answerCommand({ kind: "recovery", approval_id: asked }))}\n`,
    session.checkpoint_file === null
      ? ""
      : colors.dim(`  see ${visibleLine(session.checkpoint_file)}\n`),
  ].join("");
}

export function answeredRecovery(value: Output<"answer_recovery">): string {
  const steps = value.rollback.map(({ title, command, result, output }) => {
    const tail = output && result === "failed" ? `\n    ${visibleLine(output)}` : "";
    return `  ${SIGNS[result]} ${visibleLine(title)}: ${colors.dim(visibleLine(command))}${tail}\n`;
  });
  const failed = value.rollback.some(({ result }) => result === "failed");
  const planned = value.rollback.some(({ result }) => result === "planned");
  const head = planned
    ? `These steps would run, in this order:\n`
    : `${failed ? colors.red("✗") : colors.green("✓")} ${value.answer}: ${value.session_id} is ${value.status}\n`;
  const run = `Run them with: ${colors.cyan(`belay answer ${value.approval_id} rollback`)}\n`;
  return head + steps.join("") + (planned ? run : "");
}

const SIGNS = {
  planned: "○",
  success: colors.green("✓"),
  failed: colors.red("✗"),
  "not run": colors.dim("⊘"),
} as const satisfies Record<Output<"answer_recovery">["rollback"][number]["result"], string>;
