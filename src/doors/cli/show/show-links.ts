import { counted } from "../../../contract/import/describe-import.ts";
import type { PublicLink } from "../../../contract/operations/share-operations.ts";
import type { Output } from "../../../contract/operations.ts";
import { visibleLine } from "../../../contract/visible-text.ts";
import { colors } from "../colors.ts";
import type { Terminal } from "../program.ts";
import { hiddenSecrets } from "./hidden-secrets.ts";
import { formatTable, localTime } from "./table.ts";

export function added({ session_id, link_id, until }: Output<"add_link">): string {
  const session = visibleLine(session_id);
  return [
    `✓ Everyone who has this link can read ${session} as it is now, redacted, until ${localTime(until)}.`,
    colors.dim("It is not shown again. No rule finds every secret: open it before you send it."),
    colors.dim(`Revoke it with: belay unshare ${session} --link ${link_id}`),
    "",
  ].join("\n");
}

export function preview(value: Output<"preview_link">, terminal: Terminal): string {
  const { session_id, shown, hidden_count, hidden } = value;
  const about = `A link to ${visibleLine(session_id)} would show ${counted(shown, "event")} and hide ${counted(hidden_count, "secret")}.\n`;
  const more = hidden_count - hidden.length;
  return [
    about,
    hidden.length === 0 ? "" : hiddenSecrets(hidden, terminal),
    more > 0 ? `and ${more} more\n` : "",
    "No rule finds every secret. Read the session before you share it.\n",
  ].join("");
}

export function links(value: Output<"list_links">, terminal: Terminal): string {
  const session = visibleLine(value.session_id);
  if (value.links.length === 0) return `${session} has no public links.\n`;
  return formatTable(
    value.links,
    [
      { title: "LINK", cell: (row) => row.link_id, paint: colors.bold },
      { title: "STATE", cell: stateOf },
      { title: "UNTIL", cell: (row) => localTime(row.until) },
      { title: "OPENED", cell: (row) => String(row.opened) },
      {
        title: "LAST OPENED",
        cell: ({ last_opened_at }) =>
          last_opened_at === null ? "never" : localTime(last_opened_at),
      },
      { title: "CREATED", cell: (row) => localTime(row.created_at) },
    ],
    terminal.columns,
  );
}

export function revoked({ link_id, session_id }: PublicLink): string {
  return `✓ The public link ${link_id} to ${visibleLine(session_id)} is revoked.\n`;
}

function stateOf({ revoked_at, until }: PublicLink): string {
  if (revoked_at !== null) return "revoked";
  return Date.parse(until) <= Date.now() ? "expired" : "works";
}
