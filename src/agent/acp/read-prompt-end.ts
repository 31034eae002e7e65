import type { PromptEnd } from "../agent-connection.ts";
import { fieldsOf, numberOf } from "./read-fields.ts";

const STOPS = ["end_turn", "max_tokens", "max_turn_requests", "refusal", "cancelled"] as const;

/** The end of a prompt; null if the answer does not contain it. */
export function readPromptEnd(answer: unknown): PromptEnd | null {
  const { stopReason, usage, _meta } = fieldsOf(answer);
  const stop = STOPS.find((word) => word === stopReason);
  if (stop === undefined) return null;
  const meta = fieldsOf(_meta);
  const places = [usage, meta.usage, fieldsOf(meta.quota).token_count, meta];
  return { stop, usage: places.map(readUsage).find((found) => found !== null) ?? null };
}

/** Null if no usage is reported. */
export function readUsage(said: unknown): PromptEnd["usage"] {
  const usage = fieldsOf(said);
  const input = numberOf(usage.inputTokens) ?? numberOf(usage.input_tokens);
  const output = numberOf(usage.outputTokens) ?? numberOf(usage.output_tokens);
  if (input === null && output === null) return null;
  return { input_tokens: input ?? 0, output_tokens: output ?? 0 };
}
