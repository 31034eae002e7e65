import { useState } from "react";
import type { Stats } from "../../../src/contract/past.ts";
import { Button } from "../ui/button.tsx";
import { useCopy } from "../ui/use-copy.ts";
import {
  type AgentRow,
  COLUMNS,
  type Column,
  type Order,
  sortAgents,
  writeCsv,
} from "./agent-rows.ts";
import { formatCost, formatCount, formatRate, formatSeconds } from "./format-numbers.ts";

/** The same numbers for each agent, sortable. */
export function AgentsTable({ by_agent }: { readonly by_agent: Stats["by_agent"] }) {
  const [order, setOrder] = useState<Order>({ by: "sessions", descends: true });
  const rows = sortAgents(by_agent, order);
  const sortBy = (by: Column): void =>
    setOrder({ by, descends: order.by === by ? !order.descends : by !== "agent" });
  return (
    <section>
      <div className="mb-2 flex items-center justify-between gap-3">
        <h2 id="by-agent" className="font-semibold">
          By agent
        </h2>
        <CopyCsv rows={rows} />
      </div>
      {/* biome-ignore lint/a11y/useSemanticElements: what scrolls has to be reached by keys */}
      <div
        role="region"
        aria-labelledby="by-agent"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keys
        tabIndex={0}
        className="overflow-x-auto rounded-lg border border-line bg-panel"
      >
        <table className="w-full text-sm whitespace-nowrap">
          <thead className="text-xs text-faint">
            <tr>
              {COLUMNS.map(({ key, label }) => (
                <th
                  key={key}
                  aria-sort={
                    order.by === key ? (order.descends ? "descending" : "ascending") : "none"
                  }
                  className={key === "agent" ? "text-left" : "text-right"}
                >
                  <button
                    type="button"
                    onClick={() => sortBy(key)}
                    className={`min-h-9 px-3 font-medium hover:text-ink ${order.by === key ? "text-ink" : ""}`}
                  >
                    {label}
                    <span aria-hidden="true" className="ml-1 inline-block w-2">
                      {order.by === key ? (order.descends ? "↓" : "↑") : ""}
                    </span>
                  </button>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <tr key={row.agent} className="border-t border-line">
                {COLUMNS.map(({ key }) => (
                  <td
                    key={key}
                    className={`px-3 py-2 tabular-nums ${key === "agent" ? "max-w-60 truncate text-left font-medium" : "pr-6 text-right"}`}
                  >
                    {formatCell(row, key)}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

function CopyCsv({ rows }: { readonly rows: readonly AgentRow[] }) {
  const { said, copy } = useCopy("Copy as CSV");
  return (
    <Button look="quiet" onClick={() => copy(writeCsv(rows))}>
      {said}
    </Button>
  );
}

function formatCell(row: AgentRow, column: Column): string {
  switch (column) {
    case "agent":
      return row.agent;
    case "resume_rate":
    case "success_rate":
      return formatRate(row[column]);
    case "median_duration_s":
    case "mean_duration_s":
      return formatSeconds(row[column]);
    case "cost_usd":
      return formatCost(row.cost_usd);
    case "sessions":
    case "turns":
    case "errors":
      return formatCount(row[column]);
  }
}
