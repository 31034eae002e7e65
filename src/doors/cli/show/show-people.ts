import type { Person } from "../../../contract/operations/people-operations.ts";
import type { Output } from "../../../contract/operations.ts";
import { visibleLine } from "../../../contract/visible-text.ts";
import { colors } from "../colors.ts";
import type { Terminal } from "../program.ts";
import { formatTable, localTime } from "./table.ts";

export function added({ name, display_name, role }: Person): string {
  return [
    `✓ ${called(name, display_name)} is ${role === "admin" ? "an admin" : "a member"}.`,
    colors.dim(`Create a login link for this person: belay login --for ${visibleLine(name)}`),
    "",
  ].join("\n");
}

function called(name: string, display_name: string): string {
  if (name === display_name) return visibleLine(name);
  return `${visibleLine(display_name)} (${visibleLine(name)})`;
}

export function people(value: Output<"list_people">, terminal: Terminal): string {
  if (value.people.length === 0) return "No people yet. Add one with: belay people add NAME\n";
  return formatTable(
    value.people,
    [
      { title: "PERSON", cell: (row) => row.name, paint: colors.bold },
      { title: "NAME", cell: (row) => row.display_name, shrinks: true },
      { title: "ROLE", cell: (row) => row.role ?? "" },
      { title: "IDENTITIES", cell: (row) => row.identities.join(" "), shrinks: true },
      {
        title: "STATE",
        cell: ({ disabled_at }) =>
          disabled_at === null ? "enabled" : `disabled ${localTime(disabled_at)}`,
      },
    ],
    terminal.columns,
  );
}

export function disabled({ name, display_name }: Person): string {
  return `✓ ${called(name, display_name)} is disabled. Open streams end within two seconds.\n`;
}

export function whoami({ owner, display_name, role, token }: Output<"whoami">): string {
  const access = token
    ? `Your token ${visibleLine(token.name)} has scope "${token.scope}".`
    : "You use the data folder directly, so everything is allowed.";
  const words = role === null ? "" : `, ${role}`;
  return `You are ${called(owner, display_name ?? owner)}${words}.\n${colors.dim(access)}\n`;
}

export function shares(value: Output<"shares">, terminal: Terminal): string {
  const session = visibleLine(value.session_id);
  if (value.shares.length === 0) return `${session} is not shared.\n`;
  return formatTable(
    value.shares,
    [
      { title: "SHARED WITH", cell: (row) => row.person ?? "everyone", paint: colors.bold },
      { title: "ROLE", cell: (row) => row.role },
      { title: "UNTIL", cell: (row) => (row.until === null ? "" : localTime(row.until)) },
    ],
    terminal.columns,
  );
}

export function shared(value: Output<"shared">, terminal: Terminal): string {
  if (value.sessions.length === 0) return "No sessions are shared with you.\n";
  return formatTable(
    value.sessions,
    [
      { title: "SESSION", cell: (row) => row.session_id, paint: colors.bold },
      { title: "TITLE", cell: (row) => row.title ?? "", shrinks: true },
      { title: "AGENT", cell: (row) => row.agent_name },
      { title: "STATUS", cell: (row) => row.status },
      { title: "YOUR ROLE", cell: (row) => row.role },
    ],
    terminal.columns,
  );
}
