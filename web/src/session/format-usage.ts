import type { Usage } from "../../../src/contract/events.ts";

const count = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 });

/** Tokens and cost in a few words; empty if none were reported. */
export function formatUsage({ input_tokens, output_tokens, cost_usd }: Usage): string {
  const tokens =
    input_tokens + output_tokens > 0
      ? `${count.format(input_tokens)} in, ${count.format(output_tokens)} out`
      : "";
  return [tokens, formatCost(cost_usd)].filter((text) => text !== "").join(" · ");
}

function formatCost(cost: number): string {
  if (cost <= 0) return "";
  if (cost < 0.0001) return "under $0.0001";
  return `$${cost.toFixed(cost < 0.1 ? 4 : 2)}`;
}
