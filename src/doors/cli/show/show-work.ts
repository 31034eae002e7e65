import { visibleLine } from "../../../contract/visible-text.ts";
import type { RecentAction, RecentWork } from "../../../service/read/read-recent-work.ts";
import type { Terminal } from "../program.ts";
import { cutLine } from "./cut-line.ts";
import { pairs } from "./show.ts";
import { localTime } from "./table.ts";

/** The newest actions, checkpoints and outcomes, shown below the session; empty if there are none. */
export function recentWork(work: RecentWork, { columns }: Terminal): string {
  const named = [
    ...group("open actions", work.open_actions.map(action)),
    ...group("last actions", work.ended_actions.map(action)),
    ...group(
      "checkpoints",
      work.checkpoints.map(({ name, timestamp }) => `${time(timestamp)}  ${name}`),
    ),
    ...group(
      "outcomes",
      work.outcomes.map(({ type, id }) => (id === null ? type : `${type} ${id}`)),
    ),
  ];
  if (named.length === 0) return "";
  const room = Math.max(20, columns - 14);
  return `\n${pairs(named.map(([name, line]) => [name, cutLine(visibleLine(line), room)]))}`;
}

function group(name: string, lines: readonly string[]): [string, string][] {
  return lines.map((line, nth) => [nth === 0 ? name : "", line]);
}

function action({ type, title, timestamp, status }: RecentAction): string {
  const what = title === null ? type : `${type}: ${title}`;
  return [
    ...(timestamp === null ? [] : [time(timestamp)]),
    ...(status === null ? [] : [status]),
    what,
  ].join("  ");
}

function time(at: string): string {
  return Number.isNaN(Date.parse(at)) ? at : localTime(at);
}
