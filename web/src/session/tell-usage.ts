import type { Usage } from "../../../src/contract/events.ts";

const count = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 });

/** Tokens and cost in a few words; empty where none were told. */
export function tellUsage({ input_tokens, output_tokens, cost_usd }: Usage): string {
  const tokens =
    input_tokens + output_tokens > 0
      ? `${count.format(input_tokens)} in, ${count.format(output_tokens)} out`
      : "";
  const cost = cost_usd > 0 ? `$${cost_usd.toFixed(cost_usd < 1 ? 4 : 2)}` : "";
  return [tokens, cost].filter((text) => text !== "").join(" · ");
}
