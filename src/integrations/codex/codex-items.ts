import type { Item } from "../../import/conversation.ts";
import { countIn, listIn, plainText, recordIn, textIn, timeIn } from "../../import/fields.ts";
import type { Fields } from "../../import/record-file.ts";

/**
 * The log of a record, and its meaning: `item` is the model's log, `event` the screen's, `done` is used by newer
 * versions instead of events. Null if it is not part of the conversation.
 */
export function tagOf(record: Fields): string | null {
  const { type: named, role, item } = recordIn(record.payload);
  // Early versions did not mark messages.
  const type = named ?? (typeof role === "string" ? "message" : undefined);
  if (record.type === "compacted") return "item:compacted";
  if (record.type === "response_item") {
    if (type === "message" && role === "user") {
      return isAsked(recordIn(record.payload)) ? "item:prompt" : null;
    }
    if (type === "message") return role === "assistant" ? "item:answer" : null;
    if (type === "reasoning") return "item:thought";
    return typeof type === "string" && (CALL.test(type) || RESULT.test(type)) ? "item:call" : null;
  }
  if (record.type !== "event_msg") return null;
  switch (type) {
    case "user_message":
      return "event:prompt";
    case "agent_message":
      return "event:answer";
    case "agent_reasoning":
      return "event:thought";
    case "thread_rolled_back":
      return "event:rollback";
    case "token_count":
    case "turn_complete":
    case "task_complete":
    case "turn_aborted":
    case "error":
      return "event:other";
    case "item_completed":
      return DONE[textIn(recordIn(item).type)?.toLowerCase() ?? ""] ?? null;
    default:
      return null;
  }
}

const DONE: Readonly<Record<string, string>> = {
  ...{ usermessage: "done:prompt", agentmessage: "done:answer", plan: "done:plan" },
  ...{ commandexecution: "done:call", mcptoolcall: "done:call", dynamictoolcall: "done:call" },
  ...{ filechange: "done:call", websearch: "done:call" },
};

/** Whether a message comes from the user. Codex also sends its own texts as the user; newer versions label each part. */
function isAsked(payload: Fields): boolean {
  const about = recordIn(payload.internal_chat_message_metadata_passthrough);
  const kinds = listIn(about.content_item_kinds);
  if (kinds.length > 0) return kinds.some((kind) => textIn(kind)?.startsWith("user.") === true);
  return !INJECTED.test(promptOf(payload));
}

const INJECTED =
  /^\s*(?:<(?:environment_context|user_instructions|turn_aborted|permissions|INSTRUCTIONS|recommended_plugins|skills?|codex_internal_context|hook_prompt)\b|# AGENTS\.md)/;
const CALL = /_call$/;
const RESULT = /_output$/;

export function promptOf(payload: Fields): string {
  const item = recordIn(payload.item);
  const text = textIn(payload.message) ?? plainText(payload.content ?? item.content ?? item.text);
  // Pasted images are enclosed in tags.
  return text.replaceAll(/^<image\b[^\n]*>\n|^<\/image>\n/gm, "");
}

/** `name` is unique among the records of the conversation. */
export function* codexItems(record: Fields, name: string): Generator<Item> {
  const payload = recordIn(record.payload);
  const at = timeIn(record.timestamp);
  const tag = tagOf(record);
  if (tag === null) return;
  if (tag.endsWith(":prompt")) yield { kind: "prompt", at, text: promptOf(payload) };
  else if (tag.endsWith(":answer"))
    yield { kind: "said", at, as: "message", text: promptOf(payload) };
  else if (tag === "done:plan") yield { kind: "said", at, as: "plan", text: promptOf(payload) };
  else if (tag.endsWith(":thought")) {
    const text = textIn(payload.text) ?? plainText(payload.summary);
    if (text !== "") yield { kind: "said", at, as: "thought", text };
  } else if (tag === "item:call") yield* callItems(payload, at);
  else if (tag === "done:call") yield* doneItems(recordIn(payload.item), at);
  else if (tag === "item:compacted") {
    const summary = textIn(payload.message) ?? "";
    yield { kind: "compacted", at, id: `compacted-${name.replace(/\.0$/, "")}`, summary };
  } else yield* eventItems(payload, at);
}

function* callItems(payload: Fields, at: number | null): Generator<Item> {
  const type = textIn(payload.type) ?? "";
  const id = textIn(payload.call_id) ?? textIn(payload.id);
  if (id === null) return;
  if (RESULT.test(type)) {
    const told = recordIn(payload.output);
    const output = textIn(payload.output) ?? plainText(told.content ?? payload.output);
    yield { kind: "returned", at, id, failed: told.success === false, output };
    return;
  }
  const name = textIn(payload.name) ?? type.replace(CALL, "");
  const input = parsed(payload.arguments) ?? payload.input ?? payload.action;
  yield { kind: "called", at, id, name, input };
  // These records also contain their end.
  if (type === "web_search_call" || type === "image_generation_call") {
    yield { kind: "returned", at, id, failed: payload.status === "failed", output: "" };
  }
}

/** A call that the model did not see, such as a command that the user ran. */
function* doneItems(item: Fields, at: number | null): Generator<Item> {
  const id = textIn(item.id);
  if (id === null) return;
  const command = listIn(item.command).join(" ");
  const name = textIn(item.tool) ?? (textIn(item.type) ?? "tool").toLowerCase();
  const input = item.arguments ?? item.changes ?? item.query ?? { command };
  yield { kind: "called", at, id, name, input };
  const failed = item.status === "failed" || item.status === "declined";
  const { content } = recordIn(item.result);
  const output = textIn(item.aggregated_output) ?? textIn(item.stdout) ?? plainText(content);
  yield { kind: "returned", at, id, failed, output };
}

/** Arguments are JSON in a text. */
function parsed(text: unknown): unknown {
  if (typeof text !== "string") return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function* eventItems(payload: Fields, at: number | null): Generator<Item> {
  switch (payload.type) {
    case "token_count": {
      const used = recordIn(recordIn(payload.info).last_token_usage);
      const input_tokens = countIn(used.input_tokens);
      const output_tokens = countIn(used.output_tokens);
      if (input_tokens + output_tokens > 0) {
        yield { kind: "used", at, usage: { input_tokens, output_tokens, cost_usd: 0 } };
      }
      return;
    }
    case "turn_aborted":
      yield { kind: "ended", at, outcome: "interrupted", error: null };
      return;
    case "error":
      yield { kind: "said", at, as: "note", text: textIn(payload.message) ?? "error" };
      return;
    default:
      yield { kind: "ended", at, outcome: "completed", error: null };
  }
}
