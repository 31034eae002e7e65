import type { AgentLaunch } from "../../agent/agent-connection.ts";
import type { Effects } from "../../contract/vocabulary.ts";
import type { AgentDefinition } from "./agent-definition.ts";
import type { Permission } from "./agent-settings.ts";
import { cleanEnvironment } from "./clean-environment.ts";

/** An agent that can be started, and the rules for running it. */
export interface AgentProfile {
  readonly name: string;
  /** The user's permissions by kind of tool; `*` applies to all other kinds. */
  readonly permissions: Readonly<Record<string, Permission>>;
  readonly effects: Readonly<Record<string, Effects>>;
  /** A turn without any output for this long is ended. */
  readonly turn_silence_ms: number;
  /** The member in whose sandbox it runs; null if it runs in none. */
  readonly sandbox_of: string | null;
  launchFor(session_id: string, cwd: string): Omit<AgentLaunch, "marker">;
}

export function createProfile(
  definition: AgentDefinition,
  path: string,
  ours: { readonly home: string; readonly env: Readonly<Record<string, string | undefined>> },
): AgentProfile {
  const { name, permissions, effects, turn_silence_ms } = definition;
  const { args, env, pass_env, mode, mcp_servers, quirks, limits } = definition;
  return {
    name,
    permissions,
    effects,
    turn_silence_ms,
    sandbox_of: null,
    launchFor: (session_id, cwd) => ({
      name,
      command: path,
      args,
      env: cleanEnvironment(ours.env, { pass_env, env, home: ours.home, session_id }),
      cwd: definition.cwd ?? cwd,
      mode,
      mcp_servers,
      quirks,
      limits,
    }),
  };
}
