import { z } from "zod";
import {
  AgentStep,
  KnownFile,
  LibraryOptions,
  NewFile,
  RunInNewSession,
  RunInSession,
} from "../src/contract/method-inputs.ts";
import { OPERATIONS, type OperationName } from "../src/contract/operations.ts";
import { NAMED_SCHEMAS } from "../src/doors/graphql/named-schemas.ts";
import { METHODS, type MethodGroup } from "../src/doors/library/methods.ts";

/** The parts of a JSON Schema that the operations' schemas use. */
type Schema = z.core.JSONSchema.BaseSchema & { readonly [NAME]?: string };
const NAME = "x-name";

const HEADER = "// Written by the build from the table of operations.\n";

/** Inputs of the library's methods that are not operations. */
const METHOD_INPUTS = {
  RunInNewSession,
  RunInSession,
  AgentStep,
  NewFile,
  KnownFile,
  LibraryOptions,
};

/** Names that differ from GraphQL's for the same types. */
const RENAMED: ReadonlyMap<string, string> = new Map([
  ["AgentSession", "Session"],
  ["ConversationTurn", "Turn"],
]);

/** The types of the library's methods, without any schema library. */
export function printOperationTypes(): string {
  const printer = new Printer();
  const groups = Object.entries<MethodGroup>(METHODS).map(([name, group]) => ({ name, ...group }));
  const members = groups.map(
    ({ name, doc, noun }) => `/** ${doc} */\nreadonly ${name}: ${noun}Methods;`,
  );
  const interfaces = groups.map(({ noun, methods }) => {
    const lines = Object.entries(methods).map(([method, operation]) =>
      printMethod(printer, noun, method, operation),
    );
    return `export interface ${noun}Methods {\n${lines.join("\n")}\n}\n`;
  });
  for (const [name, schema] of Object.entries(METHOD_INPUTS)) {
    printer.declare(name, toSchema(schema, "input"), "input");
  }
  return [
    HEADER,
    `/** The operations as methods, in groups. */\nexport interface BelayOperations {\n${members.join("\n")}\n}\n`,
    ...interfaces,
    ...printer.declarations(),
  ].join("\n");
}

/** Operations that no method calls; there should be none. */
export function findUnnamedOperations(): string[] {
  const named = Object.values<MethodGroup>(METHODS).flatMap(({ methods }) =>
    Object.values(methods),
  );
  return Object.keys(OPERATIONS).filter((name) => !named.some((known) => known === name));
}

function printMethod(
  printer: Printer,
  noun: string,
  method: string,
  operation: OperationName,
): string {
  const { doc, input, output, errors } = OPERATIONS[operation];
  const name = `${noun}${method[0]?.toUpperCase()}${method.slice(1)}`;
  const schema = toSchema(input, "input");
  const optional = (schema.required ?? []).length === 0;
  const isEmpty = Object.keys(schema.properties ?? {}).length === 0;
  const takes = isEmpty
    ? ""
    : `input${optional ? "?" : ""}: ${printer.declare(`${name}Input`, schema, "input")}`;
  const gives = printer.declare(`${name}Output`, toSchema(output, "output"), "output");
  const throws = errors.length > 0 ? `\n *\n * Errors: ${errors.join(", ")}.` : "";
  return `/**\n * ${doc.replace(/[.?]$/, "")}${doc.endsWith("?") ? "?" : "."}${throws}\n */\n${method}(${takes}): Promise<${gives}>;`;
}

function toSchema(type: z.ZodType, io: "input" | "output"): Schema {
  return z.toJSONSchema(type, {
    io,
    reused: "inline",
    override({ zodSchema, jsonSchema }) {
      const name = NAMED_SCHEMAS.get(zodSchema);
      if (name !== undefined) jsonSchema[NAME] = RENAMED.get(name) ?? name;
    },
  });
}

class Printer {
  readonly #declared = new Map<string, string>();

  /** Declares an object type under its own name, or under `name` if it has none, and returns its reference. */
  declare(name: string, schema: Schema, io: "input" | "output"): string {
    if (schema.type !== "object" || !schema.properties) return this.#print(schema, io);
    const known = schema[NAME];
    // An input may omit fields that an output always has.
    const called = known === undefined ? name : io === "input" ? `${known}Input` : known;
    if (!this.#declared.has(called)) {
      this.#declared.set(called, "");
      const doc = schema.description ? `/** ${schema.description} */\n` : "";
      this.#declared.set(called, `${doc}export interface ${called} ${this.#members(schema, io)}\n`);
    }
    return called;
  }

  declarations(): string[] {
    return [...this.#declared.values()];
  }

  #print(schema: Schema, io: "input" | "output"): string {
    if (schema[NAME] !== undefined) return this.declare("", schema, io);
    const choices = schema.anyOf ?? schema.oneOf;
    if (choices) return union(choices.map((choice) => this.#print(choice, io)));
    if (schema.allOf) return schema.allOf.map((part) => this.#print(part, io)).join(" & ");
    if (schema.const !== undefined) return JSON.stringify(schema.const);
    if (schema.enum) return union(schema.enum.map((value) => JSON.stringify(value)));
    if (Array.isArray(schema.type)) {
      return union(schema.type.map((type) => this.#print({ ...schema, type }, io)));
    }
    switch (schema.type) {
      case "integer":
        return "number";
      case "string":
      case "number":
      case "boolean":
      case "null":
        return schema.type;
      case "array":
        return this.#printArray(schema, io);
      case "object":
        return schema.properties ? this.#members(schema, io) : this.#printRecord(schema, io);
      case undefined:
        return "unknown";
      default:
        throw new Error(`cannot print ${JSON.stringify(schema)}`);
    }
  }

  #printArray({ items }: Schema, io: "input" | "output"): string {
    const item =
      items === undefined || typeof items === "boolean" || Array.isArray(items)
        ? "unknown"
        : this.#print(items, io);
    return `${io === "input" ? "readonly " : ""}${/[ |&]/.test(item) ? `(${item})` : item}[]`;
  }

  #printRecord({ additionalProperties }: Schema, io: "input" | "output"): string {
    const value =
      typeof additionalProperties === "object" ? this.#print(additionalProperties, io) : "unknown";
    return `Readonly<Record<string, ${value}>>`;
  }

  #members({ properties, required = [] }: Schema, io: "input" | "output"): string {
    const lines = Object.entries(properties ?? {}).map(([name, member]) => {
      if (typeof member === "boolean") throw new Error(`${name} takes anything`);
      const doc = describe(member);
      const isRequired = required.includes(name);
      const type = this.#print(member, io);
      const written = isRequired ? `${name}: ${type}` : `${name}?: ${type} | undefined`;
      return `${doc}readonly ${written};`;
    });
    return `{\n${lines.join("\n")}\n}`;
  }
}

function describe({ description, default: byDefault }: Schema): string {
  const isPlain = byDefault !== undefined && typeof byDefault !== "object";
  const isSaid = description?.includes("default:");
  const parts = [
    ...(description === undefined ? [] : [`${toSentence(description)}.`]),
    ...(isPlain && !isSaid ? [`Default: ${JSON.stringify(byDefault)}.`] : []),
  ];
  return parts.length > 0 ? `/** ${parts.join(" ")} */\n` : "";
}

/** Names of fields, such as next_cursor, keep their small first letter. */
function toSentence(text: string): string {
  return /^[a-z]+_/.test(text) ? text : `${text[0]?.toUpperCase()}${text.slice(1)}`;
}

function union(types: readonly string[]): string {
  return [...new Set(types)].join(" | ");
}
