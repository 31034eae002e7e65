import type { AcceptedWebhook, Webhook } from "../../../contract/operations/webhook-operations.ts";
import type { Output } from "../../../contract/operations.ts";
import { visibleLine } from "../../../contract/visible-text.ts";
import type { WebhookRestart } from "../../../contract/vocabulary.ts";
import { colors } from "../colors.ts";
import type { Terminal } from "../program.ts";
import { formatTable, localTime } from "./table.ts";

export function added({ id, url, on, secret }: Output<"add_webhook">): string {
  return [
    `✓ Belay sends ${on.join(", ")} to ${visibleLine(url)} while a server runs (belay serve).`,
    ...showSecret(secret),
    colors.dim(`Try it with: belay webhooks test ${id}`),
    "",
  ].join("\n");
}

export function accepted({ name, path, agent_name, secret }: Output<"accept_webhook">): string {
  return [
    `✓ Signed requests to ${path} of the server become messages to ${visibleLine(agent_name)}.`,
    ...showSecret(secret),
    colors.dim(`Remove it with: belay webhooks remove ${name}`),
    "",
  ].join("\n");
}

function showSecret(secret: string | undefined): string[] {
  if (secret === undefined) return [];
  return [colors.bold(secret), colors.dim("This is its secret. It is not shown again.")];
}

export function webhooks(
  value: Output<"list_webhooks">,
  { columns }: Pick<Terminal, "columns">,
): string {
  const tables = [
    ...(value.webhooks.length > 0 ? [listWebhooks(value.webhooks, columns)] : []),
    ...(value.accepted.length > 0 ? [listAccepted(value.accepted, columns)] : []),
  ];
  if (tables.length > 0) return tables.join("\n");
  return "No webhooks. Add one with: belay webhooks add URL --on session.failed\n";
}

function listWebhooks(rows: readonly Webhook[], columns: number): string {
  const table = formatTable(
    rows,
    [
      { title: "WEBHOOK", cell: (row) => row.id, paint: colors.bold },
      { title: "URL", cell: (row) => row.url, shrinks: true },
      { title: "ON", cell: (row) => row.on.join(",") },
      { title: "SENT", cell: (row) => String(row.delivered) },
      { title: "STATE", cell: (row) => row.state },
    ],
    columns,
  );
  return table + rows.map((row) => explain(row) + explainRestart(row)).join("");
}

function listAccepted(rows: readonly AcceptedWebhook[], columns: number): string {
  return formatTable(
    rows,
    [
      { title: "ACCEPTED", cell: (row) => row.name, paint: colors.bold },
      { title: "PATH", cell: (row) => row.path },
      { title: "PRESET", cell: (row) => row.preset },
      { title: "AGENT", cell: (row) => row.agent_name },
      { title: "WHERE", cell: (row) => row.cwd ?? "", shrinks: true },
    ],
    columns,
  );
}

/** The problem of a webhook, shown below the table. */
function explain({ id, failing, parked }: Webhook): string {
  if (parked) {
    const fix = `belay webhooks test ${id}`;
    return `${id} has been parked since ${localTime(parked.at)}: ${visibleLine(parked.why)}. Fix the cause, then resume it with: ${fix}\n`;
  }
  if (!failing) return "";
  return `${id}: ${visibleLine(failing.why)}; tried ${failing.attempts} times, next attempt at ${localTime(failing.next_at)}.\n`;
}

function explainRestart({ id, history_changed: changed }: Webhook): string {
  if (!changed) return "";
  return `${id}: the stored history changed, as after a restored backup. At ${localTime(changed.at)} it continued ${CONTINUED[changed.continued]}.\n`;
}

const CONTINUED = {
  after_delivery: "after its newest delivery that still exists",
  after_creation: "with the first event after it was added",
  at_end: "with new events; earlier ones are not sent",
} as const satisfies Record<WebhookRestart, string>;

export function removed({ id }: Output<"remove_webhook">): string {
  return `✓ ${id} is removed.\n`;
}

export function tested(value: Output<"test_webhook">): string {
  const { acknowledged, status, why, duration_ms, resumed } = value;
  if (!acknowledged)
    return `✗ Not acknowledged after ${duration_ms} ms: ${visibleLine(why ?? String(status))}\n`;
  const goesOn = resumed ? " It was parked and is active again." : "";
  return `✓ Acknowledged with ${status} after ${duration_ms} ms.${goesOn}\n`;
}

export function deliveries(
  value: Output<"webhook_deliveries">,
  { columns }: Pick<Terminal, "columns">,
): string {
  if (value.deliveries.length === 0) return "No deliveries yet.\n";
  return formatTable(
    value.deliveries,
    [
      { title: "WHEN", cell: (row) => localTime(row.at) },
      { title: "EVENT", cell: (row) => row.type },
      { title: "SESSION", cell: (row) => row.session_id, shrinks: true },
      { title: "TRY", cell: (row) => String(row.attempt) },
      { title: "ANSWER", cell: (row) => row.why ?? String(row.status), shrinks: true },
      { title: "NEXT", cell: (row) => (row.next_at === null ? "" : localTime(row.next_at)) },
    ],
    columns,
  );
}
