import type { ParseArgsConfig } from "node:util";
import { z } from "zod";
import { BelayError, refuse } from "../../contract/errors.ts";
import { type FieldType, fieldTypeOf, readText, WRITTEN_AS } from "../../contract/field-type.ts";

type Shape = Readonly<Record<string, z.ZodType>>;

/** A flag of a command, derived from a field of its operation's input. */
export interface Flag {
  readonly name: string;
  readonly field: string;
  readonly takes: "nothing" | FieldType;
  readonly choices: readonly string[];
  readonly required: boolean;
  readonly doc: string;
}

/** Flags for every field that is not positional. `names` lists flags that are named differently from their field. */
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

/** Converts the typed text to the operation's input: the JSON type is right, the value is not checked yet. */
export function readFlag(
  flag: Flag,
  typed: string | boolean | readonly (string | boolean)[],
): unknown {
  const { takes } = flag;
  if (takes === "nothing") return typed;
  if (takes === "list") return [typed].flat().flatMap((text) => readText(takes, String(text)));
  const value = readText(takes, String(typed));
  if (value === undefined) throw unreadable(flag, takes, String(typed));
  return value;
}

function describeField(schema: z.ZodType): Omit<Flag, "name" | "field"> {
  const doc = schema.description ?? "";
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault) {
    const inner = schema.unwrap();
    const flag = inner instanceof z.ZodType ? describeField(inner) : TEXT;
    // A boolean with default false is a switch; one that may also be unset needs a value.
    const takes =
      flag.takes === "boolean" && schema instanceof z.ZodDefault ? "nothing" : flag.takes;
    return { ...flag, takes, required: false, doc: doc || flag.doc };
  }
  const choices = schema instanceof z.ZodEnum ? schema.options.map(String) : [];
  return { takes: fieldTypeOf(schema), choices, required: true, doc };
}

const TEXT: Omit<Flag, "name" | "field"> = { takes: "text", choices: [], required: true, doc: "" };

function unreadable(flag: Flag, takes: FieldType, typed: string): BelayError {
  if (takes !== "json") {
    const message = `--${flag.name} takes ${WRITTEN_AS[takes]}, not "${typed}".`;
    return new BelayError(refuse("usage", message));
  }
  const example = `--${flag.name} '{"key":"value"}'`;
  const message = `--${flag.name} is not valid JSON. Write it like this: ${example}`;
  return new BelayError(refuse("invalid_input", message, { field: flag.field }));
}
