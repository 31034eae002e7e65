import { counted } from "../../../contract/import/describe-import.ts";
import type { ComparedSide, ComparedTurn } from "../../../contract/operations/branch-operations.ts";
import type { Output } from "../../../contract/operations.ts";
import { visibleLine } from "../../../contract/visible-text.ts";
import { colors } from "../colors.ts";
import type { Terminal } from "../program.ts";
import { cutLine } from "./cut-line.ts";

/** Formats merges, comparisons and fork trees for people. */

export function merge({ merge: report }: Output<"merge">, terminal: Terminal): string {
  const { from, into, conflicts, approval_id } = report;
  const line = (text: string) => cutLine(text, terminal.columns);
  if (!report.added && conflicts.length === 0) {
    return `${from} has nothing new to merge into ${into}.\n`;
  }
  const head = report.dry_run
    ? `Would merge ${from} into ${into}:`
    : approval_id
      ? `${into} is waiting for an approval before ${from} is merged:`
      : `Merged ${from} into ${into}:`;
  const named = (title: string, names: readonly string[]) =>
    names.length === 0 ? [] : [line(`  ${title}: ${names.map(visibleLine).join(", ")}`)];
  const lines = [
    head,
    `  ${counted(report.turns, "turn")}, ${counted(report.actions, "action")} (events ${report.after + 1} to ${report.to})`,
    ...named("metadata", Object.keys(report.metadata)),
    ...named("checkpoints", report.checkpoints),
    ...named("artifacts", report.artifacts),
    ...named("outcomes", report.outcomes),
    ...conflicts.map(({ kind, name, ours, theirs, taken }) =>
      line(
        `  both changed ${kind} ${visibleLine(name)}: ours ${value(ours)}, theirs ${value(theirs)}${taken ? `; ${taken} is used` : ""}`,
      ),
    ),
  ];
  const next = approval_id
    ? [
        `Use the fork's values: belay approve ${approval_id}   Keep the current values: belay reject ${approval_id}`,
      ]
    : report.dry_run && conflicts.some(({ taken }) => taken === null)
      ? ["Resolve the conflicts with --ours, --theirs or --ask."]
      : [];
  return `${[...lines, ...next].join("\n")}\n`;
}

export function comparison(value_: Output<"compare">, terminal: Terminal): string {
  const { common, a, b, metadata, turns, next_cursor } = value_;
  const line = (text: string) => cutLine(text, terminal.columns);
  const lines = [
    common
      ? `Both sessions share ${common.session_id} up to event ${common.seq}. Since then:`
      : "These sessions share no history.",
    line(`  A ${describeSide(a)}`),
    line(`  B ${describeSide(b)}`),
    ...names("checkpoints", a.checkpoints, b.checkpoints).map(line),
    ...names("artifacts", a.artifacts, b.artifacts).map(line),
    ...names("outcomes", a.outcomes, b.outcomes).map(line),
    ...metadata.map((one) =>
      line(`  metadata ${visibleLine(one.key)}: A ${value(one.a)}, B ${value(one.b)}`),
    ),
    ...turns.flatMap(({ a: first, b: second }, n) => [
      colors.bold(`turn ${n + 1}`),
      ...describeTurn("A", first).map(line),
      ...describeTurn("B", second).map(line),
    ]),
    ...(next_cursor === null ? [] : [`More: add --after ${next_cursor}`]),
  ];
  return `${lines.join("\n")}\n`;
}

export function branches(
  { branches: found, more }: Output<"branches">,
  terminal: Terminal,
): string {
  const lines = found.map(
    ({ session_id, depth, at, status, turns, title, merged_into, deleted }) => {
      const where = at === null ? "" : `, forked at ${at}`;
      const merged = merged_into.length === 0 ? "" : `, merged into ${merged_into.join(", ")}`;
      const facts = `${status}, ${counted(turns, "turn")}${where}${merged}${deleted ? ", in the trash" : ""}`;
      const named = title === null ? "" : `  ${visibleLine(title)}`;
      return cutLine(`${"  ".repeat(depth)}${session_id}  (${facts})${named}`, terminal.columns);
    },
  );
  return `${[...lines, ...(more ? ["More forks exist; this list is limited to 200."] : [])].join("\n")}\n`;
}

function describeSide(side: ComparedSide): string {
  const cost = side.usage.cost_usd > 0 ? `, $${side.usage.cost_usd.toFixed(4)}` : "";
  const tokens = side.usage.input_tokens + side.usage.output_tokens;
  const used = tokens > 0 ? `, ${counted(tokens, "token")}` : "";
  return `${side.session_id} (${visibleLine(side.agent_name)}, ${side.status}): ${counted(side.turns, "turn")}, ${counted(side.actions, "action")}${used}${cost}`;
}

function describeTurn(side: "A" | "B", turn: ComparedTurn | null): string[] {
  if (!turn) return [`  ${side} -`];
  const took = turn.seconds === null ? "" : `, ${turn.seconds.toFixed(1)} s`;
  const calls =
    turn.tool_calls.length === 0 ? "" : `, ${counted(turn.tool_calls.length, "tool call")}`;
  return [
    `  ${side} ${turn.status}${took}${calls}: ${visibleLine(turn.input)}`,
    ...(turn.output === "" ? [] : [`    ${visibleLine(turn.output)}`]),
  ];
}

function names(title: string, a: readonly string[], b: readonly string[]): string[] {
  if (a.length + b.length === 0) return [];
  const list = (some: readonly string[]) => some.map(visibleLine).join(", ") || "-";
  return [`  ${title}: A ${list(a)}; B ${list(b)}`];
}

function value(given: unknown): string {
  return given === undefined ? "(not set)" : visibleLine(JSON.stringify(given));
}
