import type { AgentLimits, AgentQuirks } from "./agent-connection.ts";

/** The default settings of an agent. */
export interface AgentPreset {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** The user's environment variables that it gets; a `*` at the end matches any rest. */
  readonly pass_env: readonly string[];
  /** The npm package that contains it; null if it comes with Belay. */
  readonly install: string | null;
  /** Instructions to log in. */
  readonly login: string | null;
  readonly quirks: AgentQuirks;
  readonly limits: AgentLimits;
}
