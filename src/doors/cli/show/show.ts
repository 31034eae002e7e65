import { activityLabel } from "../../../contract/activity-label.ts";
import { counted } from "../../../contract/import/describe-import.ts";
import type { Output } from "../../../contract/operations.ts";
import type { Approval, Session, Task } from "../../../contract/session.ts";
import { shortenText, visibleLine, visibleText } from "../../../contract/visible-text.ts";
import type { Activity } from "../../../contract/vocabulary.ts";
import { answerCommand } from "../answer-command.ts";
import { colors } from "../colors.ts";
import type { Terminal } from "../program.ts";
import { cutLine } from "./cut-line.ts";
import { optionPairs } from "./option-pairs.ts";
import { decidedLine, decisionLines } from "./show-decisions.ts";
import { checkpointFiles, filesDifference } from "./show-files.ts";
import { formatTable, localTime } from "./table.ts";

/** Formats answers for people. Programs get JSON instead. */

const PAINT = {
  working: colors.green,
  idle: colors.cyan,
  needs_you: colors.yellow,
  failed: colors.red,
  interrupted: colors.red,
  suspended: colors.yellow,
  done: colors.dim,
} as const satisfies Record<Activity, (text: string) => string>;

const LAST_PHASES = 5;

export function session(value: Session, terminal?: Terminal): string {
  const project = value.project?.cwd;
  return pairs([
    ["session", colors.bold(value.session_id)],
    ["agent", visibleLine(value.agent_name)],
    [
      "status",
      `${PAINT[value.activity](activityLabel(value))} (status ${value.status}, phase ${value.phase})`,
    ],
    ...optional("title", value.title),
    ...optional("purpose", value.purpose),
    ...optional("project", project),
    ...(value.task_id === value.entity_id ? [] : [pair("task", visibleLine(value.task_id))]),
    ["resume ready", value.resume_ready ? "yes" : "no"],
    ...value.history
      .slice(-LAST_PHASES)
      .map(({ to_phase, timestamp }, n) =>
        pair(n === 0 ? "phases" : "", `${localTime(timestamp)}  ${to_phase}`),
      ),
    ["turns", String(value.turn_count)],
    ...(value.queued_messages > 0
      ? [pair("queued", counted(value.queued_messages, "message"))]
      : []),
    ...(value.open_actions > 0 ? [pair("open actions", String(value.open_actions))] : []),
    ...(value.pending_approvals > 0
      ? [pair("needs you", counted(value.pending_approvals, "approval"))]
      : []),
    ...decisionLines(value.decisions).map((line, n) => pair(n === 0 ? "decided" : "", line)),
    ...(value.recovery ? [pair("recovery", value.recovery)] : []),
    ...(value.stale
      ? [pair("stale", "the process that worked on it has ended; run: belay recover")]
      : []),
    ...(value.error_count > 0
      ? [pair("errors", `${value.error_count}, last: ${visibleLine(value.last_error ?? "")}`)]
      : []),
    ...optional("summary", value.summary),
    ...optional("forked from", value.parent_session_id),
    ...optional("run by", value.driver),
    ...(value.suspended_until ? [pair("suspended until", localTime(value.suspended_until))] : []),
    ...(Object.keys(value.metadata).length > 0
      ? [pair("metadata", shorten(JSON.stringify(value.metadata), terminal))]
      : []),
    ["created", localTime(value.created_at)],
    ["last activity", `${localTime(value.updated_at)}, in ${visibleLine(value.interface)}`],
    ...(value.pinned ? [pair("pinned", "yes")] : []),
    ...(value.expires_at ? [pair("expires", localTime(value.expires_at))] : []),
    ...(value.deleted_at ? [pair("in the trash since", localTime(value.deleted_at))] : []),
    ["version", String(value.version)],
  ]);
}

export function sessions(value: Output<"list">, terminal: Terminal): string {
  if (value.sessions.length === 0 && value.damaged.length === 0) {
    return 'No sessions found. Start one with: belay run demo "hello", or belay create --agent NAME --purpose WHY\n';
  }
  // A program that reads the table gets every column, and whole titles.
  const [optional, shrinks] = [terminal.interactive, terminal.interactive];
  const table = formatTable(
    value.sessions,
    [
      { title: "SESSION", cell: (row) => row.session_id, paint: colors.bold },
      { title: "AGENT", cell: (row) => row.agent_name, shrinks: true },
      {
        title: "STATUS",
        cell: (row) => activityLabel(row),
        paint: (text, row) => PAINT[row.activity](text),
      },
      { title: "PHASE", cell: (row) => row.phase, optional },
      { title: "INTERFACE", cell: (row) => row.interface, optional },
      {
        title: "CREATED",
        cell: (row) => localTime(row.created_at).slice(0, 16),
        paint: colors.dim,
        optional,
      },
      { title: "ACTIVE", cell: (row) => ago(row.updated_at), paint: colors.dim },
      { title: "TITLE", cell: (row) => visibleLine(row.title ?? row.purpose ?? ""), shrinks },
    ],
    terminal.columns,
  );
  const more = value.next_cursor ? `More: add --cursor ${value.next_cursor}\n` : "";
  return table + more + damagedNote(value.damaged.map((one) => one.session_id));
}

export function log(
  value: Output<"log">,
  terminal: Terminal,
  { before }: Readonly<Record<string, unknown>> = {},
): string {
  if (value.events.length === 0) return "No events found.\n";
  const table = formatTable(
    value.events,
    [
      { title: "SEQ", cell: (row) => String(row.seq) },
      { title: "TIME", cell: (row) => localTime(row.at), paint: colors.dim },
      { title: "EVENT", cell: (row) => row.type, paint: colors.cyan },
      { title: "", cell: (row) => gist(row.data), shrinks: true },
    ],
    terminal.columns,
  );
  if (value.next_cursor === null) return table;
  return before === undefined
    ? `${table}More: add --after ${value.next_cursor}\n`
    : `${table}${earlier(value.next_cursor - 1)}: add --before ${value.next_cursor}, --first or --all\n`;
}

function earlier(count: number): string {
  return `${count} earlier ${count === 1 ? "event" : "events"}`;
}

export function turns(value: Output<"turns">): string {
  if (value.turns.length === 0) return "No turns in this session yet.\n";
  return value.turns
    .map(
      (turn) =>
        `${colors.dim(`${localTime(turn.started_at)}  ${turn.status}`)}\n` +
        `${colors.bold("you")}    ${indent(turn.input)}\n${colors.cyan("agent")}  ${indent(turn.output)}\n` +
        (turn.whole_bytes === undefined
          ? ""
          : `Shortened. The full turn has ${turn.whole_bytes} bytes: belay log ID --after ${turn.seq - 1} --json\n`),
    )
    .join("\n");
}

export function advice(value: Output<"should_resume">): string {
  const verdict = value.should_resume
    ? colors.green("yes: it may be resumed")
    : colors.yellow(`no: ${visibleLine(value.reason)}`);
  const checks = value.checks.map(
    ({ check, ok, value: found, expected }) =>
      `  ${ok ? colors.green("✓") : colors.red("✗")} ${check.padEnd(14)} ${visibleLine(String(found))}${check === "idle" ? " s" : ""}${ok ? "" : colors.dim(`  (needs ${expected})`)}`,
  );
  const decided = decisionLines(value.decisions).map((line) => `  ${line}`);
  const told = decided.length > 0 ? ["decided since the agent's last work:", ...decided] : [];
  return `${[verdict, ...checks, ...told].join("\n")}\n`;
}

export function resumePlan({ way, why, found }: Output<"resume_plan">): string {
  return pairs([
    ["way to resume", `${colors.bold(way)}: ${visibleLine(why)}`],
    ["turns", `${found.turns}, ${found.context_bytes} bytes of context`],
    ...optional("run by", found.driver),
    ...optional("needs you", found.pending_approvals.join(", ") || null),
    ...optional("may already have run", found.unknown_outcomes.join(", ") || null),
    ...(found.cwd_moved ? [pair("folder", "the project folder no longer exists")] : []),
  ]);
}

export function checkpoint(value: Output<"show_checkpoint">): string {
  const named = pairs([
    ["checkpoint", colors.bold(visibleLine(value.name))],
    ["saved", localTime(value.timestamp)],
    ...checkpointFiles(value),
  ]);
  return `${named}state\n${visibleText(JSON.stringify(value.state, null, 2))}\n`;
}

export function restoredCheckpoint(value: Output<"restore_checkpoint">): string {
  const { session_id, restored, difference } = value;
  const next = restored
    ? `Work continues from here in ${session_id}.\n`
    : `Nothing was changed in ${session_id}. To continue from here in a fork, add --fork.\n`;
  return checkpoint(value) + (difference ? filesDifference(difference) : "") + next;
}

export function checkpoints(value: Output<"list_checkpoints">, terminal: Terminal): string {
  if (value.checkpoints.length === 0) {
    return "No checkpoints yet. Save one with: belay checkpoint save ID NAME\n";
  }
  return formatTable(
    value.checkpoints,
    [
      { title: "CHECKPOINT", cell: (row) => row.name, shrinks: true, paint: colors.bold },
      { title: "SAVED", cell: (row) => localTime(row.timestamp), paint: colors.dim },
      {
        title: "FILES",
        cell: ({ files }) => (files ? String(files.count) : ""),
        paint: colors.dim,
      },
    ],
    terminal.columns,
  );
}

export function artifacts(value: Output<"list_artifacts">, terminal: Terminal): string {
  if (value.artifacts.length === 0) {
    return "No artifacts yet. Store a file with: belay upload ID FILE\n";
  }
  return formatTable(
    value.artifacts,
    [
      { title: "ARTIFACT", cell: (row) => row.name, shrinks: true, paint: colors.bold },
      { title: "WHERE", cell: (row) => row.uri ?? "-", shrinks: true },
      { title: "RECORDED", cell: (row) => localTime(row.created_at), paint: colors.dim },
    ],
    terminal.columns,
  );
}

export function approval(value: Approval): string {
  return pairs([
    ["approval", colors.bold(value.approval_id)],
    ["session", value.session_id],
    ["question", visibleLine(value.title)],
    ...(value.body ? [pair("details", details(value.body))] : []),
    ...optionPairs(value),
    ...(value.expires_at ? [pair("expires", localTime(value.expires_at))] : []),
    value.decided
      ? pair("decided", decidedLine(value.decided))
      : value.answerable
        ? pair("answer with", answerCommand(value))
        : pair(
            "expired",
            `the process that asked has ended; send the message again: belay send ${value.session_id} MESSAGE`,
          ),
  ]);
}

export function approvals(
  value: Output<"list_approvals">,
  _terminal: Terminal,
  { decided }: { readonly decided?: unknown },
): string {
  const more = value.next_cursor ? `More: add --cursor ${value.next_cursor}\n` : "";
  const note = more + damagedNote(value.damaged);
  if (value.approvals.length > 0) return value.approvals.map(approval).join("\n") + note;
  return `No ${decided === true ? "decided" : "open"} approvals.\n${note}`;
}

export function decision(value: Output<"decide_approval">): string {
  const paint = value.decision === "approved" ? colors.green : colors.red;
  const { choice } = value;
  return `${paint(value.decision)}${choice ? `: ${visibleLine(choice.name)}` : "."}\n`;
}

export function task(value: Task): string {
  return pairs([
    ["task", colors.bold(visibleLine(value.task_id))],
    ["title", visibleLine(value.title)],
    ["status", value.status],
    ...optional("priority", value.priority),
    ...(value.est_hours === null ? [] : [pair("estimate", `${value.est_hours} h`)]),
    ...optional("last session", value.session_id),
  ]);
}

export function tasks(value: Output<"list_tasks">, terminal: Terminal): string {
  if (value.tasks.length === 0) {
    return `No tasks. Add one with: belay tasks add TITLE\n${damagedNote(value.damaged)}`;
  }
  const table = formatTable(
    value.tasks,
    [
      { title: "TASK", cell: (row) => row.task_id, paint: colors.bold },
      { title: "STATUS", cell: (row) => row.status },
      { title: "PRIORITY", cell: (row) => row.priority ?? "" },
      { title: "TITLE", cell: (row) => row.title, shrinks: true },
    ],
    terminal.columns,
  );
  return table + damagedNote(value.damaged);
}

export function expiration(value: Output<"expiration">): string {
  const { own_days, everyone_days } = value;
  const formatDays = (days: number | null) =>
    days === null
      ? "never deleted because of their age"
      : `deleted ${counted(days, "day")} after their last activity`;
  return `Your sessions: ${formatDays(own_days)}\nEveryone's sessions: ${formatDays(everyone_days)}\n`;
}

export function next(value: Output<"next">, terminal: Terminal): string {
  if (!value.session) {
    return value.task
      ? `No unfinished sessions. Next task on the backlog:\n${task(value.task)}`
      : "No unfinished sessions, and the backlog is empty.\n";
  }
  const { session: current, last_turn: turn } = value;
  const waiting = value.approvals.map((one) => `\n${approval(one)}`).join("");
  const said = turn ? `\n${turns({ turns: [turn], next_cursor: null })}` : "";
  const go =
    current.status === "suspended"
      ? `Resume it with: belay resume ${current.session_id}`
      : `Read the conversation with: belay turns ${current.session_id}`;
  return `${session(current, terminal)}${said}${waiting}\n${go}\n`;
}

export function fields(value: Readonly<Record<string, unknown>>): string {
  return pairs(Object.entries(value).map(([name, item]) => [name, visibleLine(String(item))]));
}

/** The start and end of the text to approve. */
function details(body: string): string {
  const shown = shortenText(visibleText(body), MOST_DETAILS);
  const hint = body.length > MOST_DETAILS ? ["(full text: belay approvals --json)"] : [];
  return [...shown.split("\n"), ...hint].join("\n             ");
}

const MOST_DETAILS = 4000;

/** Values of any length on one line; `--json` shows them in full. */
function shorten(text: string, terminal: Terminal | undefined): string {
  const room = Math.max(20, (terminal?.columns ?? 120) - 20);
  const line = visibleLine(text);
  return cutLine(line, room);
}

type Pair = readonly [name: string, value: string];

function pair(name: string, value: string): Pair {
  return [name, value];
}

function optional(name: string, value: string | null | undefined): Pair[] {
  return value ? [[name, visibleLine(value)]] : [];
}

export function pairs(lines: readonly Pair[]): string {
  const width = Math.max(...lines.map(([name]) => name.length));
  return lines.map(([name, value]) => `${colors.dim(name.padEnd(width))}  ${value}\n`).join("");
}

function damagedNote(names: readonly string[]): string {
  if (names.length === 0) return "";
  return colors.red(`Cannot be read: ${names.map(visibleLine).join(", ")}. Run: belay verify\n`);
}

export function gist(data: Readonly<Record<string, unknown>>): string {
  return Object.entries(data)
    .map(([key, value]): [string, unknown] =>
      // A share without a person is for all people.
      key === "person" && value === null ? [key, "everyone"] : [key, value],
    )
    .filter(([key, value]) => !SAID_ELSEWHERE.has(key) && !isEmpty(value))
    .map(([key, value]) => `${key}=${typeof value === "string" ? value : JSON.stringify(value)}`)
    .join(" ");
}

const SAID_ELSEWHERE: ReadonlySet<string> = new Set(["entity_id", "owner", "interface", "turn_id"]);

function isEmpty(value: unknown): boolean {
  if (value === null || value === "" || value === false) return true;
  return typeof value === "object" && value !== null && Object.keys(value).length === 0;
}

function indent(text: string): string {
  return visibleText(text).replaceAll("\n", "\n       ");
}

function ago(at: string): string {
  const seconds = Math.max(0, Math.round((Date.now() - Date.parse(at)) / 1000));
  if (seconds < 60) return `${seconds}s ago`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)}m ago`;
  if (seconds < 86_400) return `${Math.floor(seconds / 3600)}h ago`;
  return `${Math.floor(seconds / 86_400)}d ago`;
}
