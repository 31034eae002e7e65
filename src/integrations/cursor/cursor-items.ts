import type { Item } from "../../import/conversation.ts";
import { listIn, plainText, recordIn, textIn, timeIn } from "../../import/fields.ts";
import type { Fields } from "../../import/record-file.ts";

function contentOf(message: Fields): unknown {
  return recordIn(message.message).content ?? message.content;
}

export function promptText(message: Fields): string {
  const text = plainText(contentOf(message));
  return /<user_query>\n?([\s\S]*?)\n?<\/user_query>/.exec(text)?.[1] ?? text;
}

/** Context that Cursor itself sends the model as the user; null if the user speaks. */
export function contextOf(message: Fields): { readonly cwd: string | null } | null {
  if (message.role !== "user") return null;
  const text = plainText(contentOf(message));
  if (text.includes("<user_query>") || !/^\s*<(?:user_info|system_reminder)>/.test(text))
    return null;
  return { cwd: /^Workspace Path: (.+)$/m.exec(text)?.[1] ?? null };
}

/** The items of a Cursor message, in its transcripts and in its stores. */
export function* cursorItems(message: Fields): Generator<Item> {
  const at = timeIn(message.timestamp) ?? timeIn(message.createdAt);
  if (message.role === "user") {
    yield { kind: "prompt", at, text: promptText(message) };
    return;
  }
  const content = contentOf(message);
  const blocks = typeof content === "string" ? [{ type: "text", text: content }] : content;
  let calls = 0;
  for (const block of listIn(blocks).map(recordIn)) {
    const text = textIn(block.text);
    if (text !== null) {
      yield { kind: "said", at, as: block.type === "reasoning" ? "thought" : "message", text };
    }
    const id = textIn(block.toolCallId) ?? textIn(block.id);
    if (id === null) continue;
    if (block.type === "tool-result") {
      const output = outputText(block.result);
      yield { kind: "returned", at, id, failed: block.isError === true, output };
    } else if (block.type === "tool-call" || block.type === "tool_use") {
      calls += 1;
      const name = textIn(block.toolName) ?? textIn(block.name) ?? "tool";
      yield { kind: "called", at, id, name, input: block.args ?? block.input };
    }
  }
  if (message.role === "assistant" && calls === 0) {
    yield { kind: "ended", at, outcome: "completed", error: null };
  }
}

function outputText(result: unknown): string {
  if (typeof result === "string" || Array.isArray(result)) return plainText(result);
  return result == null ? "" : JSON.stringify(result);
}
