import { type GraphQLOutputType, getNamedType, isObjectType } from "graphql";
import { createSchema } from "../../src/doors/graphql/create-schema.ts";

const schema = createSchema();

/** All fields of an answer that need no arguments, at full depth. */
export function wholeSelection(kind: "query" | "mutation", name: string): string {
  const root = kind === "query" ? schema.getQueryType() : schema.getMutationType();
  const field = root?.getFields()[name];
  if (!field) throw new Error(`there is no ${kind} ${name}`);
  return selectionOf(field.type);
}

function selectionOf(type: GraphQLOutputType): string {
  const named = getNamedType(type);
  if (!isObjectType(named)) return "";
  const fields = Object.values(named.getFields()).map(
    (field) => `${field.name} ${selectionOf(field.type)}`,
  );
  return `{ ${fields.join(" ")} }`;
}
