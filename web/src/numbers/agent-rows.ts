import type { AgentStats, Stats } from "../../../src/contract/past.ts";

export interface AgentRow extends AgentStats {
  readonly agent: string;
}

export const COLUMNS = [
  { key: "agent", label: "Agent" },
  { key: "sessions", label: "Sessions" },
  { key: "resume_rate", label: "Resumed" },
  { key: "success_rate", label: "Success" },
  { key: "median_duration_s", label: "Median duration" },
  { key: "mean_duration_s", label: "Mean duration" },
  { key: "turns", label: "Turns" },
  { key: "errors", label: "Errors" },
  { key: "cost_usd", label: "Cost" },
] as const satisfies readonly { key: keyof AgentRow; label: string }[];
export type Column = (typeof COLUMNS)[number]["key"];

export interface Order {
  readonly by: Column;
  readonly descends: boolean;
}

/** Unknown values come last in both directions. */
export function sortAgents(by_agent: Stats["by_agent"], { by, descends }: Order): AgentRow[] {
  const rows = Object.entries(by_agent).map(([agent, stats]) => ({ agent, ...stats }));
  return rows.sort((a, b) => {
    const [x, y] = [a[by], b[by]];
    if (x === null || y === null) return x === y ? 0 : x === null ? 1 : -1;
    const order = typeof x === "string" ? x.localeCompare(String(y)) : x - Number(y);
    return (descends ? -order : order) || a.agent.localeCompare(b.agent);
  });
}

/** With a header row, and empty cells for unknown values. */
export function writeCsv(rows: readonly AgentRow[]): string {
  const lines = rows.map((row) => COLUMNS.map(({ key }) => quote(String(row[key] ?? ""))));
  return `${[COLUMNS.map(({ key }) => key), ...lines].map((cells) => cells.join(",")).join("\r\n")}\r\n`;
}

/** An agent's name may look like a formula, which a spreadsheet would run. */
function quote(text: string): string {
  const harmless = /^[=+@\t\r]|^-(?![\d.])/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}
