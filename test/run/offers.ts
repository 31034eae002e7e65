import { fileURLToPath } from "node:url";

/* An agent that asks for permission with any options, and says which one it got. */

export interface Offer {
  readonly optionId?: unknown;
  readonly name?: unknown;
  readonly kind?: unknown;
}

/** The options of claude-agent-acp 0.100.0 for a finished plan. */
export const PLAN = [
  { optionId: "exit-plan-default", name: "Yes, manually approve edits", kind: "allow_once" },
  {
    optionId: "exit-plan-clear-auto",
    name: "Yes, clear context (31% used) and use auto mode",
    kind: "allow_always",
  },
  { optionId: "exit-plan-auto", name: "Yes, and use auto mode", kind: "allow_always" },
  { optionId: "exit-plan-bypass", name: "Yes, and bypass permissions", kind: "allow_always" },
  { optionId: "reject", name: "No, keep planning", kind: "reject_once" },
] as const;

/** The options of codex-acp 2.6.0 for a command. */
export const COMMAND = [
  { optionId: "approved", name: "Yes, run it", kind: "allow_once" },
  { optionId: "denied", name: "No, continue without running it", kind: "reject_once" },
  { optionId: "abort", name: "No, and tell Codex what to do differently", kind: "reject_once" },
] as const;

/** The command of the agent, for its settings. */
export const OFFERING = [
  process.execPath,
  fileURLToPath(new URL("../agent/acp/scripted-agent.ts", import.meta.url)),
  "offers",
] as const;

/** A prompt that makes the agent ask. */
export function offer(
  options: readonly Offer[],
  kind = "switch_mode",
  call: object = {},
  announced: object = {},
): string {
  const toolCall = { toolCallId: "t1", title: "Ready to code?", kind, ...call };
  return JSON.stringify({ toolCall, options, announced });
}
