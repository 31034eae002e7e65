import type { Token } from "../../../contract/operations/token-operations.ts";
import type { Output } from "../../../contract/operations.ts";
import { visibleLine } from "../../../contract/visible-text.ts";
import { colors } from "../colors.ts";
import type { Terminal } from "../program.ts";
import { formatTable, localTime } from "./table.ts";

export function created({ id, scope, owner, token }: Output<"create_token">): string {
  return [
    colors.bold(token),
    colors.dim(
      `It has scope "${scope}" for the sessions of ${visibleLine(owner)}. It is not shown again.`,
    ),
    colors.dim(`Revoke it with: belay token revoke ${id}`),
    "",
  ].join("\n");
}

export function tokens(value: Output<"list_tokens">, terminal: Terminal): string {
  if (value.tokens.length === 0) return "No tokens. Create one with: belay token create\n";
  return formatTable(
    value.tokens,
    [
      { title: "TOKEN", cell: (row) => row.id, paint: colors.bold },
      { title: "NAME", cell: (row) => row.name, shrinks: true },
      { title: "SCOPE", cell: (row) => row.scope },
      { title: "OWNER", cell: (row) => row.owner },
      { title: "CREATED", cell: (row) => localTime(row.created_at) },
      {
        title: "LAST USED",
        cell: (row) => (row.last_used_at === null ? "never" : localTime(row.last_used_at)),
      },
      { title: "STATE", cell: stateOf },
    ],
    terminal.columns,
  );
}

export function revoked(value: Token): string {
  return `✓ Token ${visibleLine(value.name)} (${value.id}) is revoked. Its open streams end within seconds.\n`;
}

function stateOf({ revoked_at, expires_at }: Token): string {
  if (revoked_at !== null) return `revoked ${localTime(revoked_at)}`;
  if (expires_at === null) return "valid";
  const word = Date.parse(expires_at) > Date.now() ? "valid until" : "expired";
  return `${word} ${localTime(expires_at)}`;
}
