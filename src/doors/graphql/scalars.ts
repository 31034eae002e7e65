import { GraphQLError, GraphQLScalarType, Kind, type ValueNode } from "graphql";
import { MAX_JSON_DEPTH } from "../../service/scan-json.ts";

export const JSON_VALUE = new GraphQLScalarType({
  name: "JSON",
  description: "Any JSON value. Its keys are not renamed.",
  serialize: (value) => value,
  parseValue: (value) => value,
  parseLiteral: readLiteral,
});

/** The value is checked where it is used; here it only has to be a text. */
export const DATE_TIME = new GraphQLScalarType({
  name: "DateTime",
  description:
    "A time in ISO 8601. Results are in UTC. An input may be a date without a time; it is UTC unless it has a time zone.",
  serialize: (value) => value,
  parseValue: (value) => {
    if (typeof value === "string") return value;
    throw new GraphQLError("A DateTime must be a text in ISO 8601 format.");
  },
  parseLiteral: (node) => {
    if (node.kind === Kind.STRING) return node.value;
    throw new GraphQLError("A DateTime must be a text in ISO 8601 format.", { nodes: node });
  },
});

/** The same depth as in a JSON body, which is itself one level. */
const MAX_DEPTH = MAX_JSON_DEPTH - 1;

function readLiteral(node: ValueNode, variables?: Readonly<Record<string, unknown>> | null) {
  const value = read(node);
  if (isDeeper(value, MAX_DEPTH)) {
    const message = `the value is nested more than ${MAX_DEPTH} deep`;
    throw new GraphQLError(message, { nodes: node });
  }
  return value;

  function read(value: ValueNode): unknown {
    switch (value.kind) {
      case Kind.INT:
      case Kind.FLOAT:
        return Number(value.value);
      case Kind.STRING:
      case Kind.BOOLEAN:
      case Kind.ENUM:
        return value.value;
      case Kind.NULL:
        return null;
      case Kind.VARIABLE:
        return variables?.[value.name.value];
      case Kind.LIST:
        return value.values.map(read);
      case Kind.OBJECT:
        // Defines properties, so that a key named __proto__ is safe.
        return Object.fromEntries(
          value.fields.map((field) => [field.name.value, read(field.value)]),
        );
    }
  }
}

function isDeeper(value: unknown, depth: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  return depth === 0 || Object.values(value).some((each) => isDeeper(each, depth - 1));
}
