import type { AgentLimits, AgentQuirks, McpServer } from "../../agent/agent-connection.ts";
import type { AgentPreset } from "../../agent/agent-preset.ts";
import type { AgentInfo } from "../../contract/agent-info.ts";
import { BelayError, refuse } from "../../contract/errors.ts";
import type { Effects } from "../../contract/vocabulary.ts";
import type { AgentSettings, Permission } from "./agent-settings.ts";

/** An agent after its preset and settings were merged. */
export interface AgentDefinition {
  readonly name: string;
  readonly source: AgentInfo["source"];
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly pass_env: readonly string[];
  readonly cwd: string | null;
  readonly mode: string | null;
  readonly mcp_servers: readonly McpServer[];
  /** The user's permissions by kind of tool; `*` applies to all other kinds. */
  readonly permissions: Readonly<Record<string, Permission>>;
  readonly effects: Readonly<Record<string, Effects>>;
  readonly quirks: AgentQuirks;
  readonly limits: AgentLimits;
  readonly turn_silence_ms: number;
  readonly install: string | null;
  readonly login: string | null;
}

/** Defaults for an agent without a preset, with enough time for a slow start. */
const UNKNOWN_AGENT = {
  args: [],
  env: {},
  pass_env: [],
  install: null,
  login: null,
  quirks: {
    reopen_in_next_minute: false,
    silent_end_is_failure: false,
    failure_text: null,
    usage_is_total: false,
    usage_in_updates: false,
    replay_settles_ms: 250,
  },
  limits: { initialize: 60_000, open: 60_000, end: 3_000 },
} as const satisfies Omit<AgentPreset, "command">;

const TURN_SILENCE_MS = 300_000;

/** Settings replace the preset field by field, and environment variables one by one. */
export function defineAgent(
  { name, source, file }: { name: string; source: AgentInfo["source"]; file: string | null },
  preset: AgentPreset | undefined,
  settings: AgentSettings,
): AgentDefinition | BelayError {
  const command = settings.command ?? preset?.command;
  if (command === undefined) {
    const message = `${file}: agent "${name}": command: is required, because there is no preset of this name.`;
    return new BelayError(
      refuse("invalid_input", message, { file, agent: name, field: "command" }),
    );
  }
  const known = preset ?? UNKNOWN_AGENT;
  const { timeouts } = settings;
  return {
    name,
    source,
    command,
    args: settings.args ?? known.args,
    env: { ...known.env, ...settings.env },
    pass_env: settings.pass_env ?? known.pass_env,
    cwd: settings.cwd ?? null,
    mode: settings.mode ?? null,
    mcp_servers: settings.mcp_servers ?? [],
    permissions: settings.permissions ?? {},
    effects: settings.effects ?? {},
    quirks: known.quirks,
    limits: {
      initialize: milliseconds(timeouts?.initialize) ?? known.limits.initialize,
      open: milliseconds(timeouts?.open) ?? known.limits.open,
      end: known.limits.end,
    },
    turn_silence_ms: milliseconds(timeouts?.turn) ?? TURN_SILENCE_MS,
    // A user who names another command has installed it another way.
    install: settings.command === undefined ? known.install : null,
    login: known.login,
  };
}

/** A command and its arguments, as typed in a shell. */
export function commandLine(command: string, args: readonly string[]): string {
  return [command, ...args].map(quote).join(" ");
}

function quote(word: string): string {
  return /^[\w@%+=:,./~-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

function milliseconds(seconds: number | undefined): number | undefined {
  return seconds === undefined ? undefined : Math.round(seconds * 1000);
}
