import type { Tool } from "@modelcontextprotocol/server";
import { z } from "zod";
import { Time } from "../../contract/operations/operation.ts";
import { OPERATIONS } from "../../contract/operations.ts";
import type { McpTool } from "./tools.ts";
import { TOOLS } from "./tools.ts";

/** Descriptions that many operations share. */
const NOTES: Readonly<Record<string, string>> = {
  id: "the session's session_id",
  idempotency_key: "if you repeat a call with the same key, it runs only once",
  expected_version: "the call fails unless the session has this version",
  cursor: "next_cursor of the previous page (for a plain list: in _meta)",
};

/** The tools as clients list them, built once. */
export const LISTED_TOOLS: readonly Tool[] = Object.entries<McpTool>(TOOLS).map(describe);

function describe([name, tool]: [string, McpTool]): Tool {
  const query = OPERATIONS[tool.operation].kind === "query";
  return {
    name,
    description: tool.description,
    inputSchema: inputSchema(tool),
    annotations: {
      readOnlyHint: query,
      destructiveHint: tool.destructive === true,
      idempotentHint: query || tool.idempotent === true,
      openWorldHint: false,
    },
  };
}

function inputSchema({
  operation,
  documented,
  fixed = {},
  assumed = {},
}: McpTool): Tool["inputSchema"] {
  const { $schema, ...schema } = z.toJSONSchema(documented ?? OPERATIONS[operation].input, {
    io: "input",
    override: ({ zodSchema, jsonSchema }) => shorten(zodSchema, jsonSchema),
  });
  for (const [field, value] of Object.entries(assumed)) {
    const property = schema.properties?.[field];
    if (typeof property === "object") property.default = value;
  }
  const properties = Object.entries(schema.properties ?? {})
    .filter(([field]) => !(field in fixed))
    .map(([field, property]) => [field, withNote(field, withOneType(property))]);
  return { ...schema, type: "object", properties: Object.fromEntries(properties) };
}

/** Shortens the schema, because every agent reads it first: repeated and obvious parts are removed. */
function shorten(zodSchema: unknown, schema: z.core.JSONSchema.BaseSchema): void {
  if (zodSchema === Time) {
    delete schema.anyOf;
    schema.type = "string";
    schema.description ??= "a date or a time in ISO 8601";
  }
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
  if (schema.propertyNames !== undefined) delete schema.propertyNames;
  const { additionalProperties: more } = schema;
  if (typeof more === "object" && Object.keys(more).length === 0) {
    delete schema.additionalProperties;
  }
}

/** Not every client can show its model several types in one place. */
function withOneType(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(withOneType);
  if (typeof schema !== "object" || schema === null) return schema;
  const parts = Object.entries(schema).map(([key, part]) =>
    key === "type" && Array.isArray(part)
      ? ["anyOf", part.map((type) => ({ type }))]
      : [key, withOneType(part)],
  );
  return Object.fromEntries(parts);
}

function withNote(field: string, property: unknown): unknown {
  const note = NOTES[field];
  if (note === undefined || typeof property !== "object" || property === null) return property;
  return { description: note, ...property };
}
