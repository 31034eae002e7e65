import type { ParseArgsConfig } from "node:util";
import { z } from "zod";
import { BelayError, refuse } from "../../contract/errors.ts";

type Shape = Readonly<Record<string, z.ZodType>>;

/** One flag of a command, derived from one field of its operation's input. */
export interface Flag {
  readonly name: string;
  readonly field: string;
  readonly takes: "nothing" | "text" | "number" | "json" | "boolean" | "list";
  readonly choices: readonly string[];
  readonly required: boolean;
  readonly doc: string;
}

/** Flags for every field that is not given by position. `names` says where a flag is not called like its field. */
export function flagsOf(
  shape: Shape,
  positional: readonly string[],
  names: Readonly<Record<string, string>> = {},
): Flag[] {
  return Object.entries(shape)
    .filter(([field]) => !positional.includes(field))
    .map(([field, schema]) => ({
      name: names[field] ?? field.replaceAll("_", "-"),
      field,
      ...describeField(schema),
    }));
}

export function parseOptionsOf(flags: readonly Flag[]): NonNullable<ParseArgsConfig["options"]> {
  return Object.fromEntries(
    flags.map((flag) => [
      flag.name,
      flag.takes === "nothing"
        ? { type: "boolean" as const }
        : { type: "string" as const, multiple: flag.takes === "list" },
    ]),
  );
}

/** What was typed, as the operation's input: still unchecked, but of the right JSON type. */
export function readFlag(
  flag: Flag,
  typed: string | boolean | readonly (string | boolean)[],
): unknown {
  switch (flag.takes) {
    case "nothing":
      return typed;
    case "list":
      return [typed].flat().flatMap((text) => String(text).split(","));
    case "number":
      return readNumber(flag, String(typed));
    case "boolean":
      return readBoolean(flag, String(typed));
    case "json":
      return readJson(flag, String(typed));
    case "text":
      return typed;
  }
}

function describeField(schema: z.ZodType): Omit<Flag, "name" | "field"> {
  const doc = schema.description ?? "";
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault) {
    const inner = schema.unwrap();
    const flag = inner instanceof z.ZodType ? describeField(inner) : TEXT;
    // A boolean that is false unless said is a switch; one that may also be unset needs a word.
    const takes =
      flag.takes === "boolean" && schema instanceof z.ZodDefault ? "nothing" : flag.takes;
    return { ...flag, takes, required: false, doc: doc || flag.doc };
  }
  const choices = schema instanceof z.ZodEnum ? schema.options.map(String) : [];
  return { takes: takesOf(schema), choices, required: true, doc };
}

const TEXT: Omit<Flag, "name" | "field"> = { takes: "text", choices: [], required: true, doc: "" };

function takesOf(schema: z.ZodType): Flag["takes"] {
  if (schema instanceof z.ZodBoolean) return "boolean";
  if (schema instanceof z.ZodNumber) return "number";
  if (schema instanceof z.ZodRecord || schema instanceof z.ZodObject) return "json";
  if (schema instanceof z.ZodArray) return schema.element instanceof z.ZodEnum ? "list" : "json";
  return "text";
}

function readNumber(flag: Flag, text: string): number {
  const number = Number(text);
  if (text.trim() !== "" && Number.isFinite(number)) return number;
  throw new BelayError(refuse("usage", `--${flag.name} takes a number, not "${text}"`));
}

function readBoolean(flag: Flag, text: string): boolean {
  if (text === "true") return true;
  if (text === "false") return false;
  throw new BelayError(refuse("usage", `--${flag.name} takes true or false, not "${text}"`));
}

function readJson(flag: Flag, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    const example = `--${flag.name} '{"key":"value"}'`;
    throw new BelayError(
      refuse("invalid_input", `--${flag.name} is not valid JSON; write it like ${example}`, {
        field: flag.field,
      }),
      cause,
    );
  }
}
