import { z } from "zod";
import { isRecord } from "../../contract/is-record.ts";
import { camelCase } from "./words.ts";

/** What GraphQL was given, as an operation's input: still unchecked but for its types. */
export function readArguments(
  shape: Readonly<Record<string, unknown>>,
  given: Readonly<Record<string, unknown>>,
  nameOf: (field: string) => string = camelCase,
): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(shape).flatMap(([field, schema]) => {
      const value = given[nameOf(field)];
      if (value !== undefined && value !== null) return [[field, readValue(schema, value)]];
      // Where a schema knows null it does not know nothing; everywhere else null is nothing.
      return schema instanceof z.ZodNullable ? [[field, null]] : [];
    }),
  );
}

function readValue(schema: unknown, value: unknown): unknown {
  if (
    schema instanceof z.ZodOptional ||
    schema instanceof z.ZodNullable ||
    schema instanceof z.ZodDefault
  ) {
    return readValue(schema.unwrap(), value);
  }
  if (schema instanceof z.ZodArray && Array.isArray(value)) {
    return value.map((item) => readValue(schema.element, item));
  }
  return schema instanceof z.ZodObject && isRecord(value)
    ? readArguments(schema.shape, value)
    : value;
}
