import type { Usage } from "../../../contract/events.ts";
import type { Item } from "../../../import/conversation.ts";
import { countIn, listIn, plainText, recordIn, textIn, timeIn } from "../../../import/fields.ts";
import type { TreeNode } from "../../../import/find-branches.ts";
import type { Fields } from "../../../import/record-file.ts";

/** The role of a record in its conversation. */
export function kindOf(record: Fields): TreeNode<unknown>["kind"] {
  if (isPrompt(record)) return "prompt";
  if (record.type === "assistant") return "answer";
  if (record.type !== "user" || record.isMeta === true) return "none";
  return resultsIn(record).length > 0 ? "result" : "answer";
}

/** True if someone speaks to the agent here. */
export function isPrompt(record: Fields): boolean {
  if (record.type === "attachment") {
    return recordIn(record.attachment).type === "queued_command" && promptText(record) !== "";
  }
  if (record.type !== "user" || record.isMeta === true || record.isCompactSummary === true) {
    return false;
  }
  if (resultsIn(record).length > 0) return false;
  const text = promptText(record);
  return text !== "" && !OUTPUT.test(text) && !INTERRUPTED.test(text);
}

/** Claude Code's own texts in the place of the user's. */
const OUTPUT = /^<(?:local-command-std(?:out|err)|bash-std(?:out|err))>/;
const INTERRUPTED = /^\[Request interrupted by user/;

export function promptText(record: Fields): string {
  const { content } = recordIn(record.message);
  return plainText(record.type === "attachment" ? recordIn(record.attachment).prompt : content);
}

function resultsIn(record: Fields): readonly Fields[] {
  return listIn(recordIn(record.message).content)
    .map(recordIn)
    .filter(({ type }) => type === "tool_result");
}

/** The items of one turn, record by record. */
export class TurnItems {
  /** The highest usage of each answer so far: every line of an answer repeats it, growing. */
  readonly #used = new Map<string, Usage>();

  *of(record: Fields): Generator<Item> {
    const at = timeIn(record.timestamp);
    if (isPrompt(record)) {
      yield { kind: "prompt", at, text: promptText(record) };
      return;
    }
    if (record.type === "assistant") yield* this.#answer(record, at);
    else yield* userItems(record, at);
  }

  *#answer(record: Fields, at: number | null): Generator<Item> {
    const message = recordIn(record.message);
    const isError = record.isApiErrorMessage === true;
    const { content } = message;
    const blocks = typeof content === "string" ? [{ type: "text", text: content }] : content;
    for (const block of listIn(blocks).map(recordIn)) yield* blockItems(block, at, isError);
    const usage = this.#newUsage(message);
    if (usage) yield { kind: "used", at, usage };
    if (isError) yield { kind: "ended", at, outcome: "failed", error: plainText(content) };
    else if (message.stop_reason === "end_turn" || message.stop_reason === "stop_sequence") {
      yield { kind: "ended", at, outcome: "completed", error: null };
    }
  }

  #newUsage(message: Fields): Usage | null {
    const told = recordIn(message.usage);
    const id = textIn(message.id) ?? "";
    const before = this.#used.get(id) ?? { input_tokens: 0, output_tokens: 0, cost_usd: 0 };
    const input =
      countIn(told.input_tokens) +
      countIn(told.cache_creation_input_tokens) +
      countIn(told.cache_read_input_tokens);
    const more = {
      input_tokens: Math.max(0, input - before.input_tokens),
      output_tokens: Math.max(0, countIn(told.output_tokens) - before.output_tokens),
      cost_usd: 0,
    };
    if (more.input_tokens + more.output_tokens === 0) return null;
    this.#used.set(id, {
      input_tokens: before.input_tokens + more.input_tokens,
      output_tokens: before.output_tokens + more.output_tokens,
      cost_usd: 0,
    });
    return more;
  }
}

function* blockItems(block: Fields, at: number | null, isError: boolean): Generator<Item> {
  switch (block.type) {
    case "text": {
      const text = textIn(block.text);
      if (text !== null) yield { kind: "said", at, as: isError ? "note" : "message", text };
      return;
    }
    case "thinking": {
      const text = textIn(block.thinking);
      if (text !== null) yield { kind: "said", at, as: "thought", text };
      return;
    }
    case "tool_use":
    case "server_tool_use": {
      const id = textIn(block.id);
      const name = textIn(block.name) ?? "tool";
      if (id !== null) yield { kind: "called", at, id, name, input: block.input };
      return;
    }
    default: {
      const id = textIn(block.tool_use_id);
      // Tools on the model's side answer within the same message.
      if (id !== null) {
        yield { kind: "returned", at, id, failed: false, output: JSON.stringify(block.content) };
      }
    }
  }
}

function* userItems(record: Fields, at: number | null): Generator<Item> {
  if (record.isCompactSummary === true) {
    const id = textIn(record.uuid) ?? "summary";
    yield { kind: "compacted", at, id, summary: promptText(record) };
    return;
  }
  const results = resultsIn(record);
  for (const result of results) {
    const id = textIn(result.tool_use_id);
    if (id === null) continue;
    const failed = result.is_error === true;
    yield { kind: "returned", at, id, failed, output: plainText(result.content) };
  }
  const texts = listIn(recordIn(record.message).content).filter(
    (block) => recordIn(block).type !== "tool_result",
  );
  const text = results.length > 0 ? plainText(texts) : promptText(record);
  if (text !== "") yield { kind: "said", at, as: "note", text };
  if (INTERRUPTED.test(text)) yield { kind: "ended", at, outcome: "interrupted", error: null };
}
