import type { AgentLimits, AgentQuirks } from "./agent-connection.ts";

/** What is known of an agent before anyone has configured it. */
export interface AgentPreset {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Variables of the user's environment that it is given; a `*` at the end stands for any rest. */
  readonly pass_env: readonly string[];
  /** The npm package that brings it; null when it comes with Belay. */
  readonly install: string | null;
  /** How its user logs in. */
  readonly login: string | null;
  readonly quirks: AgentQuirks;
  readonly limits: AgentLimits;
}
