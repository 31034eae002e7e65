import type { GraphQLFieldConfig, GraphQLInputFieldConfig } from "graphql";
import { GraphQLNonNull, GraphQLObjectType, GraphQLSchema, printSchema } from "graphql";
import { z } from "zod";
import { isRecord } from "../../contract/is-record.ts";
import type { Operation } from "../../contract/operations/operation.ts";
import type { OperationName } from "../../contract/operations.ts";
import { OPERATIONS } from "../../contract/operations.ts";
import { Session } from "../../contract/session.ts";
import { agentSessionFields } from "./agent-session-fields.ts";
import { leastOf } from "./answer-room.ts";
import { DerivedTypes } from "./derived-types.ts";
import type { OperationField } from "./fields.ts";
import { FIELDS, isOperation, SECOND_FIELDS } from "./fields.ts";
import type { Ask } from "./graphql-parts.ts";
import { JSON_VALUE } from "./scalars.ts";
import { sessionEvents } from "./session-events.ts";
import { camelCase, pascalCase } from "./words.ts";

type Config = GraphQLFieldConfig<unknown, Ask>;

/** The whole schema, derived from the tables. */
export function createSchema(): GraphQLSchema {
  const types = new DerivedTypes(new Map([[Session, agentSessionFields]]));
  const fields = [...Object.entries(FIELDS), ...Object.entries(SECOND_FIELDS)].flatMap(
    ([operation, field]) => (isOperation(operation) ? [describe(types, operation, field)] : []),
  );
  const ofKind = (kind: Operation["kind"]): Record<string, Config> =>
    Object.fromEntries(
      fields.filter((each) => each.kind === kind).map(({ name, config }) => [name, config]),
    );
  return new GraphQLSchema({
    query: new GraphQLObjectType({ name: "Query", fields: ofKind("query") }),
    mutation: new GraphQLObjectType({ name: "Mutation", fields: ofKind("command") }),
    subscription: new GraphQLObjectType({
      name: "Subscription",
      fields: { agentSessionEvents: sessionEvents },
    }),
  });
}

/** The schema as text for clients' tools. */
export function writeSchema(): string {
  return `${printSchema(createSchema())}\n`;
}

/** The name of an operation's field. */
export function fieldName(operation: OperationName, { name }: OperationField): string {
  return name ?? camelCase(operation);
}

/** The name of the argument for a field of an operation's input. */
export function argumentName({ renamed }: OperationField, field: string): string {
  return renamed?.[field] ?? (field === "id" ? "sessionId" : camelCase(field));
}

function describe(types: DerivedTypes, operation: OperationName, field: OperationField) {
  const { kind, doc, output }: Operation = OPERATIONS[operation];
  const type = types.output(field.output ?? output, "", `${pascalCase(operation)}Result`);
  const inputs = inputsOf(shapeOf(operation, field), (name) => argumentName(field, name));
  const config: Config = {
    description: doc,
    type: field.nullable && type instanceof GraphQLNonNull ? type.ofType : type,
    args: Object.fromEntries(argumentsOf(types, operation, field)),
    resolve: (_root, given, ask) =>
      answer(operation, field, inputOf(inputs, field, given), given, ask),
  };
  return { kind, name: fieldName(operation, field), config };
}

function shapeOf(operation: OperationName, { more = {} }: OperationField) {
  const { input }: Operation = OPERATIONS[operation];
  return { ...input.shape, ...more };
}

function argumentsOf(
  types: DerivedTypes,
  operation: OperationName,
  field: OperationField,
): [string, GraphQLInputFieldConfig][] {
  if (field.whole !== undefined) return [[field.whole, { type: new GraphQLNonNull(JSON_VALUE) }]];
  return Object.entries(shapeOf(operation, field)).map(([name, schema]) => {
    const sort = name === "id" ? "session_id" : name;
    const given = types.argument(schema, sort, `${pascalCase(operation)}${pascalCase(name)}`);
    const fallback = field.defaults?.[name] ?? given.defaultValue;
    const isTold = fallback !== undefined && field.assumed?.[name] === undefined;
    const { defaultValue, ...plain } = given;
    return [argumentName(field, name), isTold ? { ...plain, defaultValue: fallback } : plain];
  });
}

function answer<K extends OperationName>(
  operation: K,
  field: OperationField<K>,
  input: unknown,
  given: Readonly<Record<string, unknown>>,
  ask: Ask,
): Promise<unknown> {
  const perform = (): Promise<unknown> => {
    if (field.perform) return field.perform(ask, isRecord(input) ? input : {});
    const output = ask.parts.service.call(operation, input, ask.caller);
    return field.present ? output.then(field.present) : output;
  };
  // The result of a mutation is returned whatever its size.
  return OPERATIONS[operation].kind === "query"
    ? ask.room.read(perform, leastOf(given))
    : perform();
}

/** A field of an input, and the name of its argument. */
interface InputField {
  readonly field: string;
  readonly argument: string;
  readonly schema: unknown;
}

function inputsOf(
  shape: Readonly<Record<string, unknown>>,
  nameOf: (field: string) => string,
): InputField[] {
  return Object.entries(shape).map(([field, schema]) => ({
    field,
    argument: nameOf(field),
    schema,
  }));
}

function inputOf(
  inputs: readonly InputField[],
  { whole, defaults, assumed }: OperationField,
  given: Readonly<Record<string, unknown>>,
): unknown {
  if (whole !== undefined) return given[whole];
  return { ...defaults, ...assumed, ...readArguments(inputs, given) };
}

/** Converts GraphQL arguments to an operation's input; only the types are checked. */
function readArguments(
  inputs: readonly InputField[],
  given: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const read: Record<string, unknown> = {};
  for (const { field, argument, schema } of inputs) {
    const value = given[argument];
    if (value !== undefined && value !== null) read[field] = readValue(schema, value);
    // A nullable schema needs an explicit null; everywhere else null means absent.
    else if (schema instanceof z.ZodNullable) read[field] = null;
  }
  return read;
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
    ? readArguments(inputsOf(schema.shape, camelCase), value)
    : value;
}
