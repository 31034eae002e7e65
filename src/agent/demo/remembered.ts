import type { ToolCallStatus, ToolKind } from "@agentclientprotocol/sdk/unstable";
import { parseRecord } from "../../contract/is-record.ts";

/** One line of a session's memory. */
export type Remembered =
  | { readonly kind: "session"; readonly cwd: string; readonly made_at: number }
  | { readonly kind: "prompt" | "answer"; readonly text: string }
  | { readonly kind: "mode"; readonly mode: Mode }
  | { readonly kind: "usage"; readonly words: number; readonly cost_usd: number }
  | RememberedTool;

/** Written when a tool call starts, and again when it ends. */
export interface RememberedTool {
  readonly kind: "tool";
  readonly id: string;
  readonly title: string;
  readonly tool: ToolKind;
  readonly status: ToolCallStatus;
  readonly output: string;
}

export const MODES = ["ask", "auto"] as const;
export type Mode = (typeof MODES)[number];

/** Null for an invalid line, such as one cut short by a kill. */
export function readRemembered(line: string): Remembered | null {
  const value = parseRecord(line);
  if (!value) return null;
  const { kind, text, mode, cwd, made_at, words, cost_usd } = value;
  if (kind === "prompt" || kind === "answer") return isText(text) ? { kind, text } : null;
  if (kind === "mode") return isMode(mode) ? { kind, mode } : null;
  if (kind === "session" && isText(cwd) && isNumber(made_at)) return { kind, cwd, made_at };
  if (kind === "usage" && isNumber(words) && isNumber(cost_usd)) return { kind, words, cost_usd };
  return kind === "tool" ? readTool(value) : null;
}

export function isMode(value: unknown): value is Mode {
  return MODES.some((mode) => mode === value);
}

function readTool({ id, title, tool, status, output }: Record<string, unknown>) {
  const known = TOOLS.find((kind) => kind === tool);
  const state = STATUSES.find((word) => word === status);
  if (!known || !state || !isText(id) || !isText(title) || !isText(output)) return null;
  return { kind: "tool", id, title, tool: known, status: state, output } as const;
}

const TOOLS = ["read", "edit", "execute", "fetch", "other"] as const satisfies readonly ToolKind[];
const STATUSES = [
  "pending",
  "in_progress",
  "completed",
  "failed",
] as const satisfies readonly ToolCallStatus[];

function isText(value: unknown): value is string {
  return typeof value === "string";
}

function isNumber(value: unknown): value is number {
  return typeof value === "number";
}
