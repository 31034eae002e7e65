import type { Fields } from "../../../src/agent/acp/read-fields.ts";
import { fieldsOf, listOf, textOf } from "../../../src/agent/acp/read-fields.ts";
import type { Item, Reply, WireFormat } from "./wire-format.ts";
import { wholeText } from "./wire-format.ts";

const USAGE = { prompt_tokens: 12, completion_tokens: 7, total_tokens: 19 };

/** OpenAI's first format, which many other vendors use too. */
export const chatFormat: WireFormat = {
  path: /\/chat\/completions$/,
  read: (body) => ({
    items: listOf(body.messages).map(fieldsOf).flatMap(readMessage),
    everything: JSON.stringify(body.messages ?? []),
    tools: listOf(body.tools)
      .map((tool) => fieldsOf(fieldsOf(tool).function))
      .map((tool) => ({ name: textOf(tool.name) ?? "", schema: fieldsOf(tool.parameters) })),
    schema: null,
  }),
  wantsStream: (body) => body.stream === true,
  whole: (reply, body) => ({
    ...completion("chat.completion", body),
    choices: [{ index: 0, message: wholeMessage(reply), finish_reason: finishReason(reply) }],
    usage: USAGE,
  }),
  *pieces(reply, body) {
    const chunk = (delta: Fields, finish_reason: string | null = null): Fields => ({
      ...completion("chat.completion.chunk", body),
      choices: [{ index: 0, delta, finish_reason }],
    });
    yield { data: chunk({ role: "assistant", content: "" }) };
    if (reply.kind === "call") yield { data: chunk({ tool_calls: [toolCall(reply)] }) };
    else for (const content of reply.chunks) yield { data: chunk({ content }) };
    yield { data: { ...chunk({}, finishReason(reply)), usage: USAGE } };
    yield { data: "[DONE]" };
  },
};

function readMessage({ role, content }: Fields): Item[] {
  if (role === "tool") return [{ kind: "tool_result" }];
  if (role !== "user") return [];
  if (typeof content === "string") return [{ kind: "user", text: content }];
  return listOf(content)
    .map((part) => textOf(fieldsOf(part).text))
    .flatMap((text): Item[] => (text === null ? [] : [{ kind: "user", text }]));
}

function completion(object: string, { model }: Fields): Fields {
  return { id: "chatcmpl-1", object, created: 1, model };
}

function wholeMessage(reply: Reply): Fields {
  const role = "assistant";
  if (reply.kind === "text") return { role, content: wholeText(reply) };
  return { role, content: null, tool_calls: [toolCall(reply)] };
}

function toolCall({ id, name, input }: Extract<Reply, { kind: "call" }>): Fields {
  return { index: 0, id, type: "function", function: { name, arguments: JSON.stringify(input) } };
}

function finishReason(reply: Reply): string {
  return reply.kind === "call" ? "tool_calls" : "stop";
}
