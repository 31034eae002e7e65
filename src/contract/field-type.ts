import { z } from "zod";
import { parseJson } from "./is-record.ts";

/** The type of a field where every value is text: on a command line or in a URL. */
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

/**
 * Converts a text to the JSON value of the field, not yet validated; undefined if it cannot be
 * converted.
 */
export function readText(type: FieldType, text: string): unknown {
  switch (type) {
    case "text":
      return text;
    case "list":
      return text.split(/(?<!\\),/).map((word) => word.replaceAll("\\,", ","));
    case "number":
      return text.trim() !== "" && Number.isFinite(Number(text)) ? Number(text) : undefined;
    case "boolean":
      return text === "true" ? true : text === "false" ? false : undefined;
    case "json":
      return parseJson(text);
  }
}

/** The text of one word of a list, in which a comma ends a word. */
export function writeListWord(word: string): string {
  return word.replaceAll(",", "\\,");
}

/** The expected format of each type, for error messages. */
export const WRITTEN_AS = {
  text: "text",
  list: "words with commas between them",
  number: "a number",
  boolean: "true or false",
  json: "JSON",
} as const satisfies Record<FieldType, string>;
