import picocolors from "picocolors";
import type { ComparedLine } from "../../../contract/compare-lines.ts";
import { compareLines } from "../../../contract/compare-lines.ts";
import type { Usage } from "../../../contract/events.ts";
import type { PlanLine, RunEvent } from "../../../contract/run-event.ts";
import type { FileDiff } from "../../../contract/session.ts";
import { shortenText, visibleLine, visibleText } from "../../../contract/visible-text.ts";
import type { ActionStatus, OpenWay } from "../../../contract/vocabulary.ts";
import { answerCommand } from "../answer-command.ts";
import { cutLine } from "../show/cut-line.ts";
import { answerKeys } from "./answer-keys.ts";
import { choiceLines } from "./choice-lines.ts";

/** Formats the lines of a run, each from its own event. All text from agents is made visible here. */

export type Paint = ReturnType<typeof createPaint>;
type Event<T extends RunEvent["type"]> = Extract<RunEvent, { type: T }>;
type ToolCall = Event<"tool_call">;

/** The number of lines shown from the start and the end of a diff. */
const FIRST_DIFF_LINES = 8;
const LAST_DIFF_LINES = 4;
/** The most characters shown of a text to approve. */
const MOST_BODY = 4000;
const MOST_FAILURE_LINES = 3;
const KIND_WIDTH = 8;

export function createPaint(color: boolean) {
  return picocolors.createColors(color);
}

const CALL_SIGNS = {
  started: { sign: "○", color: "cyan" },
  completed: { sign: "✓", color: "green" },
  failed: { sign: "✗", color: "red" },
  interrupted: { sign: "⊘", color: "yellow" },
  dropped: { sign: "⊘", color: "yellow" },
} as const satisfies Record<ActionStatus, { sign: string; color: keyof Paint }>;

/** A tool call on one line: status, kind, title and duration. */
export function callLine(
  call: Pick<ToolCall, "status" | "tool" | "title">,
  seconds: number | null,
  columns: number,
  paint: Paint,
): string {
  const { sign, color } = CALL_SIGNS[call.status];
  const time = seconds === null ? "" : duration(seconds);
  const kind = cutLine(visibleLine(call.tool), KIND_WIDTH).padEnd(KIND_WIDTH);
  const room = columns - KIND_WIDTH - 4 - time.length - (time === "" ? 0 : 2);
  const title = cutLine(visibleLine(call.title) || visibleLine(call.tool), Math.max(room, 20));
  const end = time === "" ? "" : `  ${paint.dim(time)}`;
  return `${paint[color](sign)} ${paint.dim(kind)} ${title}${end}\n`;
}

/** The reason of a failure: the end of its output. */
export function failureLines(call: ToolCall, columns: number, paint: Paint): string {
  if (call.status !== "failed") return "";
  const said = visibleText(call.output ?? call.result ?? "").trimEnd();
  if (said === "") return "";
  const last = said.split("\n").slice(-MOST_FAILURE_LINES);
  return last.map((line) => `    ${paint.red(cutLine(line, columns - 4))}\n`).join("");
}

export function diffLines(diffs: readonly FileDiff[], columns: number, paint: Paint): string {
  const all = diffs.flatMap(({ path, before, after }) => {
    const lines = shortDiff(before ?? "", after);
    const count = (sign: string) => lines.filter((line) => line.sign === sign).length;
    const [gone, come] = [count("-"), count("+")];
    const what = before === null ? `new, +${come}` : `+${come} -${gone}`;
    const name = cutLine(visibleLine(path), columns - 6 - what.length);
    return [
      { text: `    ${paint.dim(`${name}  ${what}`)}\n`, isChange: false },
      ...lines.map(({ sign, text }) => {
        const line = cutLine(`${sign} ${visibleText(text).replaceAll("\t", "  ")}`, columns - 4);
        const color = sign === "+" ? paint.green : sign === "-" ? paint.red : paint.dim;
        return { text: `    ${color(line)}\n`, isChange: true };
      }),
    ];
  });
  const changes = all.filter(({ isChange }) => isChange);
  const hidden = new Set(changes.slice(FIRST_DIFF_LINES, -LAST_DIFF_LINES));
  const [first] = hidden;
  const mark = `    ${paint.dim(`… ${hidden.size} line${hidden.size === 1 ? "" : "s"} hidden …`)}\n`;
  return all.map((line) => (line === first ? mark : hidden.has(line) ? "" : line.text)).join("");
}

const PLAN_SIGNS = {
  completed: { sign: "✓", color: "green" },
  in_progress: { sign: "▸", color: "cyan" },
  pending: { sign: "○", color: "dim" },
} as const satisfies Record<PlanLine["status"], { sign: string; color: keyof Paint }>;

/** The whole plan the first time, then only the lines that changed. */
export function planLines(
  before: readonly PlanLine[],
  entries: readonly PlanLine[],
  columns: number,
  paint: Paint,
): string {
  const known = new Set(before.map(({ status, content }) => `${status} ${content}`));
  const changed = entries.filter(({ status, content }) => !known.has(`${status} ${content}`));
  if (changed.length === 0) return "";
  const done = entries.filter(({ status }) => status === "completed").length;
  const lines = changed.map(({ status, content }) => {
    const { sign, color } = PLAN_SIGNS[status];
    return `  ${paint[color](sign)} ${cutLine(visibleLine(content), columns - 4)}\n`;
  });
  return `${paint.bold("Plan")}${paint.dim(`  ${done} of ${entries.length}`)}\n${lines.join("")}`;
}

/** A piece of a thought. Each new line is indented. */
export function thoughtLines(text: string, isLineOpen: boolean, paint: Paint): string {
  return text
    .split("\n")
    .map((line, at) => paint.dim(at === 0 && isLineOpen ? line : `  ┊ ${line}`))
    .join("\n");
}

/** A whole thought on one line. */
export function thoughtLine(text: string, columns: number, paint: Paint): string {
  return `${paint.dim(cutLine(`  ┊ ${visibleLine(text)}`, columns))}\n`;
}

export function permissionLines(
  event: Event<"permission">,
  changes: string,
  answers: boolean,
  paint: Paint,
): string {
  const { kind, title, body } = event;
  const why = shortenText(visibleText(body ?? "").trim(), MOST_BODY);
  const isRecovery = kind === "recovery";
  const yes = isRecovery ? "continue" : "approve once";
  const no = isRecovery ? "decide later" : "reject";
  const keys = answerKeys(event);
  const words = Object.entries({ y: yes, a: "approve always", n: no })
    .filter(([key]) => keys.has(key))
    .map(([key, does]) => `${paint.bold(key)} ${does}`);
  const command = answerCommand(event);
  return [
    `${paint.bold(paint.yellow(`? ${visibleLine(title)}`))}\n`,
    why === "" ? "" : `${paintReason(why, paint)}\n`,
    (body ?? "").length > MOST_BODY ? `  ${paint.dim("full text: belay approvals --json")}\n` : "",
    changes,
    choiceLines(event, answers, paint),
    answers ? `  ${words.join("   ")}\n` : "",
    `  ${paint.dim(answers ? "in another terminal:" : "answer with:")} ${paint.cyan(command)}`,
    command.includes(" approve ") ? `${paint.dim(" (or reject)")}\n` : "\n",
  ].join("");
}

/** Indents the reason, and colors the change in it. */
function paintReason(why: string, paint: Paint): string {
  const isChange = /^--- /m.test(why);
  const lines = why.split("\n").map((line) => {
    if (!isChange || !/^[+-]/.test(line)) return `  ${line}`;
    return `  ${line.startsWith("+") ? paint.green(line) : paint.red(line)}`;
  });
  return lines.join("\n");
}

const ANSWERS = {
  approved: { sign: "✓", word: "approved", color: "green" },
  rejected: { sign: "✗", word: "rejected", color: "red" },
  expired: { sign: "⊘", word: "expired", color: "yellow" },
} as const satisfies Record<
  Event<"answered">["decision"],
  { sign: string; word: string; color: keyof Paint }
>;

export function answerLine(
  { decision, note, choice }: Event<"answered">,
  title: string | null,
  isOurs: boolean,
  paint: Paint,
): string {
  const { sign, word, color } = ANSWERS[decision];
  const where = isOurs || decision === "expired" ? "" : " from elsewhere";
  const what = title === null ? "" : `: ${title}`;
  const how = choice === null ? "" : ` (${visibleLine(choice.name)})`;
  const why = note === null ? "" : paint.dim(` (${visibleLine(note)})`);
  return `${paint[color](`${sign} ${word}${how}${where}`)}${what}${why}\n`;
}

const OUTCOMES = {
  completed: { text: "✓ done", color: "green" },
  interrupted: { text: "⊘ interrupted", color: "yellow" },
  cancelled: { text: "⊘ cancelled", color: "yellow" },
} as const satisfies Record<Event<"completed">["outcome"], { text: string; color: keyof Paint }>;

/** Most agents report the usage of a turn. Without it, nobody knows if a model has answered. */
const WITHOUT_USAGE = { text: "• ended without usage", color: "yellow" } as const;

/** In dollars; a smaller cost would be shown as zero. */
const LEAST_COST = 0.0001;

export function footer(
  outcome: Event<"completed">["outcome"],
  seconds: number | null,
  usage: Usage | null,
  paint: Paint,
): string {
  const { text, color } =
    outcome === "completed" && usage === null ? WITHOUT_USAGE : OUTCOMES[outcome];
  const { input_tokens = 0, output_tokens = 0, cost_usd = 0 } = usage ?? {};
  const parts = [
    ...(seconds === null || duration(seconds) === "" ? [] : [duration(seconds)]),
    ...(input_tokens + output_tokens === 0
      ? []
      : [`${amount(input_tokens)} tokens in, ${amount(output_tokens)} out`]),
    ...(cost_usd < LEAST_COST ? [] : [`$${cost_usd.toFixed(cost_usd < 0.1 ? 4 : 2)}`]),
  ];
  return `${paint[color](text)}${parts.map((part) => paint.dim(` · ${part}`)).join("")}\n`;
}

export function errorLines(
  { session_id, message }: Event<"error">,
  seconds: number | null,
  answers: boolean,
  paint: Paint,
): string {
  const time = seconds === null ? "" : duration(seconds);
  const next = answers
    ? `Send another message to retry. Details: belay log ${session_id}`
    : `Resume with: belay resume ${session_id}. Details: belay log ${session_id}`;
  const text = visibleText(message).trim().replaceAll("\n", "\n  ");
  return `${paint.red(`✗ ${text}`)}${time === "" ? "" : paint.dim(` · ${time}`)}\n  ${paint.dim(next)}\n`;
}

export function suspendedLine(
  { session_id, reason }: { readonly session_id: string; readonly reason: string | null },
  paint: Paint,
): string {
  const why = reason === null ? "" : paint.dim(` (${visibleLine(reason).replaceAll("_", " ")})`);
  const next = paint.cyan(`belay resume ${session_id}`);
  return `${paint.yellow("⊘ suspended")}${why} · resume with: ${next}\n`;
}

export function agentLine({ state, how }: Event<"agent">): string {
  const known = state === "started" ? STARTED[how] : undefined;
  return known ?? `agent ${state}: ${visibleLine(how)}`;
}

const STARTED: Readonly<Record<string, string | undefined>> = {
  new: "agent started",
  resume: "agent started and resumed its own session",
  load: "agent started and loaded its own session",
  replay: "agent started with a summary of the conversation",
} satisfies Record<OpenWay, string>;

export function endedLine(status: Event<"ended">["status"], paint: Paint): string {
  const color =
    status === "completed" ? paint.green : status === "failed" ? paint.red : paint.yellow;
  return `The session is ${color(status)}.\n`;
}

/** Shown before the first event of a turn. */
export const STARTING = "○ waiting for the agent";

/** Shown while other agents use all slots. */
export function waitingLine(position: number): string {
  return `starts when an agent is free (number ${position} in line)`;
}

export function workingStatus(
  call: ToolCall | null,
  count: number,
  seconds: number,
  columns: number,
  paint: Paint,
): string {
  const others = count > 1 ? `  and ${count - 1} more` : "";
  const time = duration(seconds, 1);
  if (call === null) return `${paint.cyan("○")} ${paint.dim(`working  ${time}`.trim())}`;
  const line = callLine(call, null, columns - time.length - others.length - 3, paint).trimEnd();
  return `${line}${paint.dim(`${others}  ${time}`.trimEnd())}`;
}

export function waitingStatus(question: string, columns: number, paint: Paint): string {
  return paint.yellow(cutLine(`? needs your answer: ${question}`, columns - 1));
}

/** Empty for very short durations, such as in a run that is replayed from the log. */
function duration(seconds: number, least = 0.1): string {
  if (seconds < least) return "";
  if (seconds < 10 && least < 1) return `${seconds.toFixed(1)}s`;
  if (seconds < 60) return `${Math.floor(seconds)}s`;
  const [minutes, rest] = [Math.floor(seconds / 60), Math.floor(seconds % 60)];
  return `${minutes}m ${String(rest).padStart(2, "0")}s`;
}

function amount(count: number): string {
  if (count < 1000) return String(count);
  return count < 1_000_000 ? `${(count / 1000).toFixed(1)}k` : `${(count / 1_000_000).toFixed(1)}M`;
}

/** The lines that differ, with one line of context. */
function shortDiff(before: string, after: string): ComparedLine[] {
  const lines = compareLines(before, after);
  const isChange = (at: number) => (lines[at]?.sign ?? " ") !== " ";
  return lines.filter((_, at) => isChange(at - 1) || isChange(at) || isChange(at + 1));
}
