import type { AgentPreset } from "../../agent/agent-preset.ts";
import type { AgentInfo } from "../../contract/agent-info.ts";
import { BelayError } from "../../contract/errors.ts";
import type { AgentDefinition } from "./agent-definition.ts";
import { defineAgent } from "./agent-definition.ts";
import type { AgentsFile } from "./agents-file.ts";

export type Presets = Readonly<Record<string, AgentPreset>>;

/** An agent's name from one source, and its definition. */
export interface KnownAgent {
  readonly name: string;
  readonly source: AgentInfo["source"];
  readonly file: string | null;
  readonly trusted: boolean;
  readonly definition: AgentDefinition | BelayError;
}

/**
 * The user's own file has precedence, then the workspace's if it is trusted, then the preset. An untrusted entry is
 * listed next to the others and hides none of them.
 */
export function knownAgents(
  presets: Presets,
  user: AgentsFile | null,
  workspace: AgentsFile | null,
): KnownAgent[] {
  const own = agentsOf(user, presets);
  const shared = agentsOf(workspace, presets).filter(({ name }) => !has(own, name));
  const running = [...own, ...shared.filter(({ trusted }) => trusted)];
  const others = Object.keys(presets).filter((name) => !has(running, name));
  return [
    ...running,
    ...others.map((name) => defineKnown({ name, source: "preset", file: null }, true, presets, {})),
    ...shared.filter(({ trusted }) => !trusted),
  ];
}

function agentsOf(file: AgentsFile | null, presets: Presets): KnownAgent[] {
  if (file === null) return [];
  const { source, path, trusted } = file;
  return [...file.agents].map(([name, settings]) =>
    defineKnown({ name, source, file: path }, trusted, presets, settings),
  );
}

function defineKnown(
  place: Pick<KnownAgent, "name" | "source" | "file">,
  trusted: boolean,
  presets: Presets,
  settings: Parameters<typeof defineAgent>[2] | BelayError,
): KnownAgent {
  const preset = Object.hasOwn(presets, place.name) ? presets[place.name] : undefined;
  const definition =
    settings instanceof BelayError ? settings : defineAgent(place, preset, settings);
  return { ...place, trusted, definition };
}

function has(agents: readonly KnownAgent[], name: string): boolean {
  return agents.some((agent) => agent.name === name);
}
