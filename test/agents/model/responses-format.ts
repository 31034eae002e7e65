import type { Fields } from "../../../src/agent/acp/read-fields.ts";
import { fieldsOf, listOf, textOf } from "../../../src/agent/acp/read-fields.ts";
import type { Item, Piece, Reply, WireFormat } from "./wire-format.ts";
import { wholeText } from "./wire-format.ts";

const USAGE = {
  input_tokens: 12,
  input_tokens_details: { cached_tokens: 0 },
  output_tokens: 7,
  output_tokens_details: { reasoning_tokens: 0 },
  total_tokens: 19,
};

/** OpenAI's second format. */
export const responsesFormat: WireFormat = {
  path: /\/responses$/,
  read: (body) => ({
    items:
      typeof body.input === "string"
        ? [{ kind: "user", text: body.input }]
        : listOf(body.input).map(fieldsOf).flatMap(readItem),
    everything: JSON.stringify(body.input ?? []),
    tools: listOf(body.tools)
      .map(fieldsOf)
      .map((tool) => ({ name: textOf(tool.name) ?? "", schema: fieldsOf(tool.parameters) })),
    schema: null,
  }),
  wantsStream: (body) => body.stream === true,
  whole: (reply, body) => completed(reply, body),
  *pieces(reply, body) {
    const item = outputItem(reply);
    const place = { output_index: 0, item_id: item.id };
    yield piece("response.created", { response: response(body, "in_progress", []) });
    if (reply.kind === "call") {
      const started = { ...item, arguments: "", status: "in_progress" };
      yield piece("response.output_item.added", { output_index: 0, item: started });
      const delta = item.arguments;
      yield piece("response.function_call_arguments.delta", { ...place, delta });
      yield piece("response.function_call_arguments.done", { ...place, arguments: delta });
    } else {
      const started = { ...item, content: [], status: "in_progress" };
      yield piece("response.output_item.added", { output_index: 0, item: started });
      const at = { ...place, content_index: 0 };
      yield piece("response.content_part.added", { ...at, part: textPart("") });
      for (const delta of reply.chunks) yield piece("response.output_text.delta", { ...at, delta });
      const text = wholeText(reply);
      yield piece("response.output_text.done", { ...at, text });
      yield piece("response.content_part.done", { ...at, part: textPart(text) });
    }
    yield piece("response.output_item.done", { output_index: 0, item });
    yield piece("response.completed", { response: completed(reply, body) });
  },
};

function readItem({ role, type, content }: Fields): Item[] {
  if (textOf(type)?.endsWith("_output")) return [{ kind: "tool_result" }];
  if (role !== "user") return [];
  if (typeof content === "string") return [{ kind: "user", text: content }];
  return listOf(content)
    .map((part) => textOf(fieldsOf(part).text))
    .flatMap((text): Item[] => (text === null ? [] : [{ kind: "user", text }]));
}

function piece(event: string, fields: Fields): Piece {
  return { event, data: { type: event, ...fields } };
}

function outputItem(reply: Reply): Fields {
  if (reply.kind === "text") {
    const content = [textPart(wholeText(reply))];
    return { type: "message", id: "msg_1", role: "assistant", status: "completed", content };
  }
  const { id: call_id, name, input } = reply;
  const args = JSON.stringify(input);
  const id = `fc_${call_id}`;
  return { type: "function_call", id, call_id, name, arguments: args, status: "completed" };
}

function textPart(text: string): Fields {
  return { type: "output_text", text, annotations: [] };
}

function completed(reply: Reply, body: Fields): Fields {
  return { ...response(body, "completed", [outputItem(reply)]), usage: USAGE };
}

function response({ model }: Fields, status: string, output: readonly Fields[]): Fields {
  return { id: "resp_1", object: "response", created_at: 1, model, status, output };
}
