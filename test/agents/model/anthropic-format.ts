import type { Fields } from "../../../src/agent/acp/read-fields.ts";
import { fieldsOf, listOf, textOf } from "../../../src/agent/acp/read-fields.ts";
import type { Item, Piece, Reply, WireFormat } from "./wire-format.ts";
import { wholeText } from "./wire-format.ts";

const USAGE = { input_tokens: 12, output_tokens: 7 };

export const anthropicFormat: WireFormat = {
  path: /\/v1\/messages$/,
  read: (body) => ({
    items: listOf(body.messages).map(fieldsOf).flatMap(readMessage),
    everything: JSON.stringify(body.messages ?? []),
    tools: listOf(body.tools)
      .map(fieldsOf)
      .map((tool) => ({ name: textOf(tool.name) ?? "", schema: fieldsOf(tool.input_schema) })),
    schema: null,
  }),
  wantsStream: (body) => body.stream === true,
  whole: (reply, body) => ({
    ...message(body),
    content: [
      reply.kind === "text"
        ? { type: "text", text: wholeText(reply) }
        : toolUse(reply, reply.input),
    ],
    stop_reason: stopReason(reply),
  }),
  *pieces(reply, body) {
    yield piece("message_start", { message: message(body) });
    const index = 0;
    if (reply.kind === "call") {
      yield piece("content_block_start", { index, content_block: toolUse(reply, {}) });
      const delta = { type: "input_json_delta", partial_json: JSON.stringify(reply.input) };
      yield piece("content_block_delta", { index, delta });
    } else {
      yield piece("content_block_start", { index, content_block: { type: "text", text: "" } });
      for (const text of reply.chunks) {
        yield piece("content_block_delta", { index, delta: { type: "text_delta", text } });
      }
    }
    yield piece("content_block_stop", { index });
    const delta = { stop_reason: stopReason(reply), stop_sequence: null };
    yield piece("message_delta", { delta, usage: USAGE });
    yield piece("message_stop", {});
  },
};

function readMessage({ role, content }: Fields): Item[] {
  if (role !== "user") return [];
  if (typeof content === "string") return [{ kind: "user", text: content }];
  return listOf(content)
    .map(fieldsOf)
    .flatMap((block): Item[] => {
      if (block.type === "tool_result") return [{ kind: "tool_result" }];
      return block.type === "text" ? [{ kind: "user", text: textOf(block.text) ?? "" }] : [];
    });
}

function piece(event: string, fields: Fields): Piece {
  return { event, data: { type: event, ...fields } };
}

let messages = 0;

function message({ model }: Fields): Fields {
  messages += 1;
  return {
    id: `msg_${messages}`,
    type: "message",
    role: "assistant",
    model,
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: USAGE,
  };
}

function toolUse({ id, name }: Extract<Reply, { kind: "call" }>, input: Fields): Fields {
  return { type: "tool_use", id, name, input };
}

function stopReason(reply: Reply): string {
  return reply.kind === "call" ? "tool_use" : "end_turn";
}
