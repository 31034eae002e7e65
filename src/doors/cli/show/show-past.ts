import type { Output } from "../../../contract/operations.ts";
import type { AgentStats, AuditEvent, TimelineEvent } from "../../../contract/past.ts";
import { visibleLine } from "../../../contract/visible-text.ts";
import { colors } from "../colors.ts";
import type { Terminal } from "../program.ts";
import { gist } from "./show.ts";
import { formatTable, localTime } from "./table.ts";

/** Formats past events for people. */

const MARK = {
  session_started: colors.green("●"),
  action: colors.cyan("│"),
  checkpoint: colors.yellow("◆"),
  session_ended: colors.blue("■"),
} as const satisfies Record<TimelineEvent["type"], string>;

export function timeline(value: Output<"timeline">): string {
  if (value.events.length === 0) {
    return `No events found for ${visibleLine(value.entity_id)} in this period.\n`;
  }
  const lines: string[] = [];
  let day = "";
  for (const event of value.events) {
    const [date = "", time = ""] = localTime(event.timestamp).split(" ");
    if (date !== day) lines.push(colors.bold(date));
    day = date;
    lines.push(
      `  ${colors.dim(time)} ${MARK[event.type]} ${describe(event)}  ${colors.dim(visibleLine(event.session_id))}`,
    );
  }
  const more = value.next_cursor ? `More: add --cursor ${value.next_cursor}\n` : "";
  return `${lines.join("\n")}\n${more}`;
}

function describe(event: TimelineEvent): string {
  const name = visibleLine(event.name);
  switch (event.type) {
    case "session_started":
      return `${visibleLine(event.agent_name)} started`;
    case "session_ended":
      return name === "active" ? "ended, and was continued later" : `ended: ${name}`;
    case "checkpoint":
      return `checkpoint ${name}`;
    case "action":
      return event.result === null ? name : `${name}: ${paintResult(visibleLine(event.result))}`;
  }
}

function paintResult(result: string): string {
  if (result === "success" || result === "passed") return colors.green(result);
  if (result === "failure" || result === "failed") return colors.red(result);
  return colors.yellow(result);
}

export function history(value: Output<"history">, terminal: Terminal): string {
  if (value.sessions.length === 0) return "No sessions yet.\n";
  const more = value.next_cursor ? `More: add --cursor ${value.next_cursor}\n` : "";
  const table = formatTable(
    value.sessions.map(({ snapshot }) => snapshot),
    [
      { title: "STARTED", cell: (row) => localTime(row.started_at), paint: colors.dim },
      { title: "SESSION", cell: (row) => row.session_id, paint: colors.bold },
      { title: "ACTIONS", cell: (row) => String(row.actions.length) },
      { title: "LAST CHECKPOINT", cell: (row) => row.checkpoints.at(-1)?.name ?? "" },
      {
        title: "OUTCOMES",
        cell: (row) => row.outcomes.map(({ type, id }) => id ?? type).join(", "),
        shrinks: true,
      },
    ],
    terminal.columns,
  );
  return `${table}${more}`;
}

export function audit(value: Output<"audit">, terminal: Terminal): string {
  const table = eventTable(value.events, terminal);
  return value.next_cursor ? `${table}Earlier entries: add --cursor ${value.next_cursor}\n` : table;
}

export function events(value: Output<"events">, terminal: Terminal): string {
  const table = eventTable(value.events, terminal);
  return value.next_cursor ? `${table}More: add --after ${value.next_cursor}\n` : table;
}

function eventTable(shown: readonly AuditEvent[], terminal: Terminal): string {
  if (shown.length === 0) return "No events in this period.\n";
  return formatTable(
    shown,
    [
      { title: "TIME", cell: (row) => localTime(row.at), paint: colors.dim },
      { title: "WHO", cell: (row) => row.actor },
      { title: "VIA", cell: (row) => row.interface },
      { title: "WHAT", cell: (row) => row.type, paint: colors.cyan },
      { title: "WHERE", cell: (row) => `${row.id} ${gist(row.data)}`, shrinks: true },
    ],
    terminal.columns,
  );
}

export function stats(value: Output<"stats">, terminal: Terminal): string {
  if (value.total.sessions === 0) return "No sessions in this period.\n";
  const rows = [...Object.entries(value.by_agent), ["all", value.total] as const];
  return formatTable(
    rows,
    [
      { title: "AGENT", cell: ([name]) => name, shrinks: true, paint: colors.bold },
      { title: "SESSIONS", cell: ([, of]) => String(of.sessions) },
      { title: "RESUMED", cell: ([, of]) => percent(of.resume_rate) },
      { title: "SUCCESS", cell: ([, of]) => percent(of.success_rate) },
      { title: "MEDIAN", cell: ([, of]) => duration(of) },
      { title: "TURNS", cell: ([, of]) => String(of.turns) },
      { title: "ERRORS", cell: ([, of]) => String(of.errors) },
    ],
    terminal.columns,
  );
}

function percent(share: number | null): string {
  return share === null ? "-" : `${Math.round(share * 100)}%`;
}

function duration({ median_duration_s: seconds }: AgentStats): string {
  if (seconds === null) return "-";
  if (seconds < 90) return `${seconds.toFixed(1)}s`;
  return seconds < 5400 ? `${Math.round(seconds / 60)}m` : `${(seconds / 3600).toFixed(1)}h`;
}
