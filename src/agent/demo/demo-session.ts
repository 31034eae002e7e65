import type { SessionModeState, ToolKind } from "@agentclientprotocol/sdk/unstable";
import { MODES, type Mode, type Remembered } from "./remembered.ts";

/** A session that this process has open. */
export interface DemoSession {
  readonly id: string;
  readonly cwd: string;
  /** The whole memory, oldest first. */
  readonly history: Remembered[];
  mode: Mode;
  /** The user's permanent answers by kind of tool. They end with the process. */
  readonly always: Map<ToolKind, boolean>;
  /** Ends the running turn. */
  running: AbortController | null;
  toolCalls: number;
  words: number;
  cost_usd: number;
  /** The usage of all turns since it was opened. */
  used: { readonly input: number; readonly output: number };
}

export function openSession(
  id: string,
  cwd: string,
  history: readonly Remembered[],
  forgetMode: boolean,
): DemoSession {
  const modes = history.filter((line) => line.kind === "mode");
  const usage = history.findLast((line) => line.kind === "usage");
  const tools = history.filter((line) => line.kind === "tool");
  return {
    id,
    cwd,
    history: [...history],
    mode: forgetMode ? "ask" : (modes.at(-1)?.mode ?? "ask"),
    always: new Map(),
    running: null,
    toolCalls: new Set(tools.map((tool) => tool.id)).size,
    words: usage?.words ?? 0,
    cost_usd: usage?.cost_usd ?? 0,
    used: { input: 0, output: 0 },
  };
}

export function promptsOf(history: readonly Remembered[]): readonly string[] {
  return history.flatMap((line) => (line.kind === "prompt" ? line.text : []));
}

export function modesOf({ mode }: DemoSession): SessionModeState {
  return {
    currentModeId: mode,
    availableModes: MODES.map((id) => ({ id, ...MODE_TEXTS[id] })),
  };
}

/** A session is named after its first message. */
export function titleOf(history: readonly Remembered[]): string | null {
  const first = promptsOf(history)[0]?.trim().split("\n")[0];
  if (!first) return null;
  return first.length > 60 ? `${first.slice(0, 59)}…` : first;
}

const MODE_TEXTS = {
  ask: { name: "Ask", description: "Asks before it writes, runs or fetches anything" },
  auto: { name: "Auto", description: "Runs tool calls without asking" },
} as const satisfies Record<Mode, { name: string; description: string }>;
