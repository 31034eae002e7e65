import {
  type GraphQLInputType,
  type GraphQLOutputType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isListType,
  isObjectType,
} from "graphql";
import type { OperationName, Output } from "../../src/contract/operations.ts";
import { OPERATIONS } from "../../src/contract/operations.ts";
import { argumentName, createSchema, fieldName } from "../../src/doors/graphql/create-schema.ts";
import { FIELDS, type OperationField } from "../../src/doors/graphql/fields.ts";
import { camelCase, enumName } from "../../src/doors/graphql/words.ts";
import { type RealServer, recordOf, textOf } from "../serve/server-process.ts";
import type { Answer, Door, Fields } from "./door.ts";

const schema = createSchema();
/** Extra fields of a session here, which other operations return too. */
const BESIDES = ["history", "artifacts", "checkpoints", "task", "cursor"];
/** Fields with another name in other interfaces. */
const OTHER_NAMES: Readonly<Record<string, string>> = { phases: "history" };

/** Queries and mutations to a real server, from the table of fields, in the words of the other interfaces. */
export function openGraphqlDoor(server: RealServer): Door {
  return {
    call: (operation, input) => ask(server, operation, input),
    present: (operation, output) => normaliseOutput(operation, output),
    async close() {
      await server.end();
    },
  };
}

function definitionOf(operation: OperationName) {
  const { kind } = OPERATIONS[operation];
  const root = kind === "query" ? schema.getQueryType() : schema.getMutationType();
  const table: Readonly<Record<OperationName, OperationField>> = FIELDS;
  const field = table[operation];
  const name = fieldName(operation, field);
  const definition = root?.getFields()[name];
  if (!definition) throw new Error(`there is no ${name}`);
  return { keyword: kind === "query" ? "query" : "mutation", name, field, definition };
}

async function ask(server: RealServer, operation: OperationName, input: Fields): Promise<Answer> {
  const { keyword, name, field, definition } = definitionOf(operation);
  const given =
    field.whole === undefined
      ? Object.entries(input).map(([key, value]) => [argumentName(field, key), value] as const)
      : [[field.whole, input] as const];
  const args = given.map(([argument, value]) => {
    const known = definition.args.find((each) => each.name === argument);
    if (!known) throw new Error(`${name} takes no ${argument}`);
    return { argument, type: known.type, value: writeInput(known.type, value) };
  });
  const types = args.map(({ argument, type }) => `$${argument}: ${type}`).join(", ");
  const passed = args.map(({ argument }) => `${argument}: $${argument}`).join(", ");
  const around = (text: string): string => (text === "" ? "" : `(${text})`);
  const query = `${keyword} ${around(types)} { ${name}${around(passed)} ${select(definition.type)} }`;
  const variables = Object.fromEntries(args.map(({ argument, value }) => [argument, value]));
  const { json, text } = await server.ask("POST", "/graphql", { body: { query, variables } });
  const { data, errors } = recordOf(json);
  if (Array.isArray(errors)) {
    return { ok: false, error: textOf(recordOf(errors[0]).extensions, "code") };
  }
  if (data === undefined) throw new Error(text);
  return { ok: true, value: read(definition.type, recordOf(data)[name], nameHere) };
}

function normaliseOutput(operation: OperationName, output: Output<OperationName>): unknown {
  const { field, definition } = definitionOf(operation);
  return read(definition.type, field.present ? field.present(output) : output, nameElsewhere);
}

function writeInput(type: GraphQLInputType, value: unknown): unknown {
  const inner = getNullableType(type);
  if (isListType(inner) && Array.isArray(value)) {
    return value.map((item) => writeInput(inner.ofType, item));
  }
  if (isEnumType(inner)) return enumName(String(value));
  if (!isInputObjectType(inner)) return value;
  const fields = inner.getFields();
  return Object.fromEntries(
    Object.entries(recordOf(value)).map(([key, held]) => {
      const known = fields[camelCase(key)];
      return [camelCase(key), known ? writeInput(known.type, held) : held];
    }),
  );
}

function fieldsOf(type: GraphQLOutputType) {
  const inner = getNullableType(type);
  if (!isObjectType(inner)) return [];
  const fields = Object.values(inner.getFields());
  return inner.name === "AgentSession"
    ? fields.filter(({ name }) => !BESIDES.includes(name))
    : fields;
}

function select(type: GraphQLOutputType): string {
  const inner = getNullableType(type);
  if (isListType(inner)) return select(inner.ofType);
  const fields = fieldsOf(inner).map((field) => `${field.name} ${select(field.type)}`);
  return fields.length === 0 ? "" : `{ ${fields.join(" ")} }`;
}

/** A value in the words of the model. Missing values are null. */
function read(type: GraphQLOutputType, value: unknown, nameOf: (field: string) => string): unknown {
  const inner = getNullableType(type);
  if (value === null || value === undefined) return null;
  if (isListType(inner)) {
    return Array.isArray(value) ? value.map((item) => read(inner.ofType, item, nameOf)) : value;
  }
  if (isEnumType(inner)) {
    const known = inner.getValues().find((each) => each.name === enumName(String(value)));
    return known?.value;
  }
  const fields = fieldsOf(inner);
  if (fields.length === 0) return value;
  const record = recordOf(value);
  return Object.fromEntries(
    fields.map(({ name, type: of }) => [
      nameElsewhere(name),
      read(of, record[nameOf(name)], nameOf),
    ]),
  );
}

function nameHere(field: string): string {
  return field;
}

function nameElsewhere(field: string): string {
  return OTHER_NAMES[field] ?? field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
