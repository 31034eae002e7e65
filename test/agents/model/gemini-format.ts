import type { Fields } from "../../../src/agent/acp/read-fields.ts";
import { fieldsOf, listOf, textOf } from "../../../src/agent/acp/read-fields.ts";
import { isRecord } from "../../../src/contract/is-record.ts";
import type { Item, Reply, WireFormat } from "./wire-format.ts";
import { wholeText } from "./wire-format.ts";

export const geminiFormat: WireFormat = {
  path: /:(?:stream)?generateContent$/i,
  read: (body) => ({
    items: listOf(body.contents).map(fieldsOf).flatMap(readContent),
    everything: JSON.stringify(body.contents ?? []),
    tools: listOf(body.tools)
      .flatMap((group) => listOf(fieldsOf(group).functionDeclarations))
      .map(fieldsOf)
      .map((tool) => ({
        name: textOf(tool.name) ?? "",
        schema: fieldsOf(tool.parametersJsonSchema ?? tool.parameters),
      })),
    schema: readSchema(fieldsOf(body.generationConfig)),
  }),
  wantsStream: (_, path) => /:streamGenerateContent$/i.test(path),
  whole: (reply) => response(parts(reply), true),
  *pieces(reply) {
    if (reply.kind === "call") {
      yield { data: response(parts(reply), true) };
      return;
    }
    for (const text of reply.chunks) yield { data: response([{ text }], false) };
    yield { data: response([{ text: "" }], true) };
  },
};

function readContent({ role, parts: all }: Fields): Item[] {
  if (role !== "user") return [];
  return listOf(all)
    .map(fieldsOf)
    .flatMap((part): Item[] => {
      if (part.functionResponse !== undefined) return [{ kind: "tool_result" }];
      const text = textOf(part.text);
      return text === null ? [] : [{ kind: "user", text }];
    });
}

function readSchema(config: Fields): Fields | null {
  const schema = config.responseJsonSchema ?? config.responseSchema;
  if (isRecord(schema)) return schema;
  return config.responseMimeType === "application/json" ? {} : null;
}

function parts(reply: Reply): Fields[] {
  if (reply.kind === "text") return [{ text: wholeText(reply) }];
  return [{ functionCall: { id: reply.id, name: reply.name, args: reply.input } }];
}

function response(content: readonly Fields[], isLast: boolean): Fields {
  return {
    candidates: [
      {
        index: 0,
        content: { role: "model", parts: content },
        ...(isLast && { finishReason: "STOP" }),
      },
    ],
    usageMetadata: { promptTokenCount: 12, candidatesTokenCount: 7, totalTokenCount: 19 },
    modelVersion: "stand-in",
  };
}
