import { z } from "zod";

/** What is written for a field where everything is text: on a command line, in a URL. */
export type FieldType = "text" | "number" | "boolean" | "json" | "list";

export function fieldTypeOf(schema: z.ZodType): FieldType {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault) {
    const inner = schema.unwrap();
    return inner instanceof z.ZodType ? fieldTypeOf(inner) : "text";
  }
  if (schema instanceof z.ZodBoolean) return "boolean";
  if (schema instanceof z.ZodNumber) return "number";
  if (schema instanceof z.ZodRecord || schema instanceof z.ZodObject) return "json";
  if (schema instanceof z.ZodArray) return isWord(schema.element) ? "list" : "json";
  return "text";
}

function isWord(element: unknown): boolean {
  return element instanceof z.ZodEnum || element instanceof z.ZodString;
}

/** A text as the JSON value that the field wants, still unchecked; undefined: it is not one. */
export function readText(type: FieldType, text: string): unknown {
  switch (type) {
    case "text":
      return text;
    case "list":
      return text.split(",");
    case "number":
      return text.trim() !== "" && Number.isFinite(Number(text)) ? Number(text) : undefined;
    case "boolean":
      return text === "true" ? true : text === "false" ? false : undefined;
    case "json":
      return readJson(text);
  }
}

/** How to write a value of this type, for error messages. */
export const WRITTEN_AS = {
  text: "text",
  list: "words with commas between them",
  number: "a number",
  boolean: "true or false",
  json: "JSON",
} as const satisfies Record<FieldType, string>;

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
