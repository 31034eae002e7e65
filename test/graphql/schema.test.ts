import { readFileSync } from "node:fs";
import {
  buildSchema,
  type GraphQLArgument,
  type GraphQLEnumType,
  type GraphQLField,
  type GraphQLSchema,
  isEnumType,
  isObjectType,
  lexicographicSortSchema,
  printSchema,
} from "graphql";
import { describe, expect, it } from "vitest";
import { OPERATIONS } from "../../src/contract/operations.ts";
import { createSchema, fieldName } from "../../src/doors/graphql/create-schema.ts";
import { FIELDS, isOperation } from "../../src/doors/graphql/fields.ts";

/** The first promise to clients. It is copied here on purpose and never changes. */
const PROMISED = `
type AgentSession {
    sessionId: ID!
    taskId: ID!
    agentName: String!
    interface: String!
    state: SessionState!
    createdAt: DateTime!
    updatedAt: DateTime!
    metadata: JSON
    checkpointId: String
    history: [ConversationTurn!]
    artifacts: [Artifact!]
}

enum SessionState {
    CREATED
    ACTIVE
    SUSPENDED
    COMPLETED
    FAILED
}

type Query {
    agentSession(sessionId: ID!): AgentSession
    agentSessions(
        state: SessionState
        agentName: String
        interface: String
        limit: Int = 20
    ): [AgentSession!]!
}

type Mutation {
    createAgentSession(
        agentName: String!
        initialMessage: String
        metadata: JSON
    ): AgentSession!

    sendMessage(
        sessionId: ID!
        message: String!
    ): ConversationTurn!

    suspendSession(
        sessionId: ID!
        reason: String
    ): AgentSession!

    resumeSession(
        sessionId: ID!
    ): AgentSession!
}

type Subscription {
    agentSessionEvents(sessionId: ID!): AgentEvent!
}
`;

/** Types that it names without describing them. */
const UNDESCRIBED = `
scalar DateTime
scalar JSON
type ConversationTurn { turnId: ID! }
type Artifact { name: String! }
type AgentEvent { type: String! data: JSON seq: Int }
`;

const ours = createSchema();
const promised = buildSchema(PROMISED + UNDESCRIBED);

describe("the schema", () => {
  it("has every promised type, field and value, with arguments, defaults and nulls", () => {
    expect(describeTypes(ours, promised)).toEqual(describeTypes(promised, promised));
    expect(describeTypes(promised, promised)).toHaveLength(38);
  });

  it("requires no argument beyond the promised ones", () => {
    const more = fieldsOf(promised).flatMap(([type, field]) => {
      const known = field.args.map(({ name }) => name);
      return (ourField(type, field.name)?.args ?? [])
        .filter(({ name, type: of }) => !known.includes(name) && `${of}`.endsWith("!"))
        .map(({ name }) => `${type}.${field.name}(${name})`);
    });
    expect(more).toEqual([]);
  });

  it("has every operation, as a query or as a mutation", () => {
    const queries = Object.keys(ours.getQueryType()?.getFields() ?? {});
    const mutations = Object.keys(ours.getMutationType()?.getFields() ?? {});
    for (const [name, operation] of Object.entries(OPERATIONS)) {
      if (!isOperation(name)) throw new Error(name);
      const fields = operation.kind === "query" ? queries : mutations;
      expect(fields).toContain(fieldName(name, FIELDS[name]));
    }
    const second = ["list"];
    expect(queries.length + mutations.length).toBe(Object.keys(OPERATIONS).length + second.length);
  });

  it("equals schema.graphql (if not: npm run generate)", () => {
    const written = readFileSync(new URL("../../schema.graphql", import.meta.url), "utf8");
    expect(sorted(buildSchema(written))).toBe(sorted(ours));
  });
});

function sorted(schema: GraphQLSchema): string {
  return printSchema(lexicographicSortSchema(schema));
}

/** One line for everything in `wanted`, as `schema` has it. */
function describeTypes(schema: GraphQLSchema, wanted: GraphQLSchema): string[] {
  const values = Object.values(wanted.getTypeMap())
    .filter((type) => isEnumType(type) && !type.name.startsWith("__"))
    .map(({ name }) => {
      const type = schema.getType(name);
      return `${name} = ${isEnumType(type) ? valuesOf(type) : "none"}`;
    });
  const fields = fieldsOf(wanted).flatMap(([type, field]) => {
    const found = schema.getType(type);
    const own = isObjectType(found) ? found.getFields()[field.name] : undefined;
    const args = field.args.map(({ name }) => {
      const argument = own?.args.find((each) => each.name === name);
      return `${type}.${field.name}(${name}): ${argument ? describeArgument(argument) : "none"}`;
    });
    return [`${type}.${field.name}: ${own?.type}`, ...args];
  });
  return [...values, ...fields];
}

function fieldsOf(schema: GraphQLSchema): [string, GraphQLField<unknown, unknown>][] {
  return Object.values(schema.getTypeMap())
    .filter((type) => isObjectType(type))
    .filter((type) => !type.name.startsWith("__"))
    .flatMap((type) => Object.values(type.getFields()).map((field) => [type.name, field] as const))
    .map(([type, field]) => [type, field]);
}

function ourField(type: string, name: string): GraphQLField<unknown, unknown> | undefined {
  const found = ours.getType(type);
  return isObjectType(found) ? found.getFields()[name] : undefined;
}

function valuesOf(type: GraphQLEnumType): string {
  return type
    .getValues()
    .map(({ name }) => name)
    .join(" ");
}

function describeArgument({ type, defaultValue }: GraphQLArgument): string {
  return `${type} = ${JSON.stringify(defaultValue)}`;
}
