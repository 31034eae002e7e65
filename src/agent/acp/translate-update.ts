import type { AgentUpdate, PlanEntry, ToolCall } from "../agent-connection.ts";
import { boundText } from "./bound-text.ts";
import { describeContent } from "./describe-content.ts";
import { mergeToolCall } from "./merge-tool-call.ts";
import type { Fields } from "./read-fields.ts";
import { fieldsOf, listOf, numberOf, textOf } from "./read-fields.ts";

const LONGEST_EXCERPT = 1024;
const LONGEST_NAME = 100;
const LONGEST_ENTRY = 4096;
const MOST_ENTRIES = 200;
const PLAN_STATUSES = ["pending", "in_progress", "completed"] as const;

type Translate = (
  said: Fields,
  known: (id: string) => ToolCall | undefined,
) => AgentUpdate | "malformed" | null;

/** The meaning of each kind of `session/update`. Null: it is known, and there is nothing to report. */
const TRANSLATIONS: Readonly<Record<string, Translate>> = {
  agent_message_chunk: (said) => translateChunk("message", said),
  agent_thought_chunk: (said) => translateChunk("thought", said),
  // An echo of the prompt, or a replay of an old one.
  user_message_chunk: () => null,
  tool_call: translateTool,
  tool_call_update: translateTool,
  plan: translatePlan,
  usage_update: translateUsage,
  current_mode_update: ({ currentModeId }) => translateMode(currentModeId),
  config_option_update: translateConfig,
  session_info_update: ({ title }) =>
    typeof title === "string" && title !== ""
      ? { kind: "title", title: boundText(title, LONGEST_ENTRY) }
      : null,
  available_commands_update: () => null,
};

/** Translates an agent's update. An unknown or malformed one becomes `other`, never an error. */
export function translateUpdate(
  update: unknown,
  known: (id: string) => ToolCall | undefined,
): AgentUpdate | null {
  const said = fieldsOf(update);
  const name = textOf(said.sessionUpdate) ?? "unnamed";
  const translate = Object.hasOwn(TRANSLATIONS, name) ? TRANSLATIONS[name] : undefined;
  const translated = translate ? translate(said, known) : "malformed";
  if (translated !== "malformed") return translated;
  return {
    kind: "other",
    name: boundText(name, LONGEST_NAME),
    excerpt: boundText(JSON.stringify(update) ?? "", LONGEST_EXCERPT),
  };
}

/** The piece of a user's message in an update, and the id of its message if there is one. */
export function readUserChunk(update: unknown): { text: string; message: string | null } | null {
  const { sessionUpdate, content, messageId } = fieldsOf(update);
  if (sessionUpdate !== "user_message_chunk") return null;
  const text = describeContent(content);
  return text === null ? null : { text, message: textOf(messageId) };
}

function translateChunk(kind: "message" | "thought", { content }: Fields): ReturnType<Translate> {
  const text = describeContent(content);
  return text === null ? "malformed" : { kind, text };
}

function translateTool(
  said: Fields,
  known: (id: string) => ToolCall | undefined,
): ReturnType<Translate> {
  const call = mergeToolCall(said, known);
  return call ? { kind: "tool", call } : "malformed";
}

function translatePlan({ entries }: Fields): ReturnType<Translate> {
  if (!Array.isArray(entries)) return "malformed";
  const read = entries.slice(0, MOST_ENTRIES).flatMap((entry): PlanEntry[] => {
    const { content, status } = fieldsOf(entry);
    if (typeof content !== "string") return [];
    const known = PLAN_STATUSES.find((word) => word === status) ?? "pending";
    return [{ content: boundText(content, LONGEST_ENTRY), status: known }];
  });
  return { kind: "plan", entries: read };
}

function translateUsage({ used, cost }: Fields): ReturnType<Translate> {
  const tokens = numberOf(used);
  if (tokens === null) return "malformed";
  const { amount, currency } = fieldsOf(cost);
  const cost_usd = textOf(currency)?.toUpperCase() === "USD" ? numberOf(amount) : null;
  return { kind: "usage", cost_usd, context_tokens: tokens };
}

function translateMode(mode: unknown): ReturnType<Translate> {
  return typeof mode === "string"
    ? { kind: "mode", mode: boundText(mode, LONGEST_NAME) }
    : "malformed";
}

/** Some agents keep their mode among their options; the other options have no meaning here. */
function translateConfig({ configOptions }: Fields): ReturnType<Translate> {
  const mode = listOf(configOptions)
    .map(fieldsOf)
    .find(({ category }) => category === "mode");
  return mode ? translateMode(mode.currentValue) : null;
}
