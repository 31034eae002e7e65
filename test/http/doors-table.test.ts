import { type GraphQLField, getNamedType, isEnumType } from "graphql";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { isRecord } from "../../src/contract/is-record.ts";
import type { OperationName } from "../../src/contract/operations.ts";
import { OPERATIONS } from "../../src/contract/operations.ts";
import {
  argumentName,
  createSchema,
  fieldName,
} from "../../src/interfaces/graphql/create-schema.ts";
import type { OperationField } from "../../src/interfaces/graphql/fields.ts";
import { FIELDS, isOperation, SECOND_FIELDS } from "../../src/interfaces/graphql/fields.ts";
import { enumName } from "../../src/interfaces/graphql/words.ts";
import { TOOLS } from "../../src/interfaces/mcp/tools.ts";
import { wholeSelection } from "../graphql/whole-selection.ts";
import { DOOR_TABLE, mayDo } from "./doors-table.ts";
import { type Fields, findViolations, tellingOf, type Way } from "./judge-ways.ts";
import { type Doors, openDoors } from "./open-doors.ts";
import type { TestServer } from "./open-server.ts";

const EVERYONE = [
  ...([
    "nobody",
    "revoked",
    "reader",
    "recorder",
    "other",
    "otherAdmin",
    "owner",
    "admin",
  ] as const),
];

const schema = createSchema();

// The matrix comes last, because it leaves many sessions, which makes lists slow.
let server: Doors;
beforeAll(async () => {
  server = await openDoors();
});

describe("a service that does not look", () => {
  afterAll(() => {
    server.change = (caller) => caller;
  });

  it("at scopes is found out, at every command", async () => {
    server.change = ({ scope, ...caller }) => caller;
    const found = (await findViolations(server, ["reader"], WAYS)).join("\n");
    const commands = WAYS.filter(({ operation }) => !mayDo("reader", operation));
    for (const { label } of commands) expect(found).toContain(`${label} by reader`);
  });

  it("at who created a session is found out, at every query that has something to tell", async () => {
    server.change = (caller) =>
      caller.scope === "record" ? { ...caller, scope: "write" } : caller;
    const found = (await findViolations(server, ["recorder"], WAYS)).join("\n");
    const telling = TELLING.filter(({ operation }) => mayDo("recorder", operation));
    for (const { label } of telling) expect(found).toContain(`${label} by recorder`);
    expect(found).toContain("recorder changed what is ann's");
  });

  it("at owners is found out, at every query that has something to tell", async () => {
    server.change = (caller) => ({ ...caller, owner: "ann", role: "admin" });
    const found = (await findViolations(server, ["otherAdmin"], WAYS)).join("\n");
    for (const { label } of TELLING) expect(found).toContain(`${label} by otherAdmin`);
    expect(found).toContain("otherAdmin changed what is ann's");
  });
});

describe("every tool and every field of GraphQL", () => {
  it("has its line in the table", async () => {
    const body = { jsonrpc: "2.0", id: 1, method: "tools/list" };
    const { text } = await server.ask("POST", "/mcp", { body, headers: MCP_ACCEPT });
    const told = readMcp(text).result;
    const tools = isRecord(told) && Array.isArray(told.tools) ? told.tools.filter(isRecord) : [];
    expect(tools.map(({ name }) => `tool ${name}`)).toEqual(TOOL_WAYS.map(({ label }) => label));
    const roots = [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()];
    const fields = roots.flatMap((root) => Object.keys(root?.getFields() ?? {}));
    expect(FIELD_WAYS.map(({ label }) => label).toSorted()).toEqual(
      fields.map((name) => `field ${name}`).toSorted(),
    );
    for (const { operation, label } of WAYS) {
      expect(DOOR_TABLE[operation]?.length ?? 0, label).toBeGreaterThan(0);
    }
  });

  it("lets in whom the operation lets in, and shows nobody what is another's", async () => {
    expect(await findViolations(server, EVERYONE, WAYS)).toEqual([]);
  });
});

const MCP_ACCEPT = { accept: "application/json, text/event-stream" };

function toolWay(tool: string, operation: OperationName): Way {
  return {
    label: `tool ${tool}`,
    operation,
    async ask(server, token, input) {
      const params = { name: tool, arguments: input };
      const body = { jsonrpc: "2.0", id: 1, method: "tools/call", params };
      const { status, text } = await server.ask("POST", "/mcp", {
        token,
        body,
        headers: MCP_ACCEPT,
      });
      const { result, error } = readMcp(text);
      if (!isRecord(result)) return { status, code: `no result: ${JSON.stringify(error)}`, text };
      const told = isRecord(result.structuredContent) ? result.structuredContent : {};
      return { status, code: result.isError === true ? String(told.error) : null, text };
    },
  };
}

/** An answer is JSON, or the one message of a stream. */
function readMcp(text: string): Fields {
  const [, message = text] = /^data: (.*)$/m.exec(text) ?? [];
  const json: unknown = JSON.parse(message);
  return isRecord(json) ? json : {};
}

function fieldWay(
  keyword: "query" | "mutation" | "subscription",
  definition: GraphQLField<unknown, unknown>,
  operation: OperationName,
  field: OperationField,
): Way {
  const { name } = definition;
  const selection =
    keyword === "subscription" ? "{ type data seq at actor }" : wholeSelection(keyword, name);
  return {
    label: `field ${name}`,
    operation,
    async ask(server, token, input) {
      const given = Object.entries(field.whole === undefined ? input : { [field.whole]: input });
      const args = given.map(([key, value]) => {
        const argument = field.whole ?? argumentName(field, key);
        const type = definition.args.find((each) => each.name === argument)?.type;
        if (!type) throw new Error(`${name} takes no ${argument}`);
        return { argument, type, value: isEnumType(getNamedType(type)) ? inEnum(value) : value };
      });
      const around = (text: string): string => (text === "" ? "" : `(${text})`);
      const types = args.map(({ argument, type }) => `$${argument}: ${type}`).join(", ");
      const passed = args.map(({ argument }) => `${argument}: $${argument}`).join(", ");
      const query = `${keyword} ${around(types)} { ${name}${around(passed)} ${selection} }`;
      const variables = Object.fromEntries(args.map(({ argument, value }) => [argument, value]));
      const accept = keyword === "subscription" ? "text/event-stream" : "application/json";
      const { status, text } = await askFirst(server, token, { query, variables }, accept);
      const { errors } = readMcp(text);
      const [error] = Array.isArray(errors) ? errors : [];
      const extensions = isRecord(error) && isRecord(error.extensions) ? error.extensions : null;
      return { status, code: extensions ? String(extensions.code) : null, text };
    },
  };
}

/** A stream is closed after its first event, because it would not end by itself. */
async function askFirst(
  server: TestServer,
  token: string | null,
  body: Fields,
  accept: string,
): Promise<{ readonly status: number; readonly text: string }> {
  const left = new AbortController();
  const { status, body: answered } = await fetch(`${server.url}/graphql`, {
    method: "POST",
    headers: {
      accept,
      "content-type": "application/json",
      ...(token !== null && { authorization: `Bearer ${token}` }),
    },
    body: JSON.stringify(body),
    signal: left.signal,
  });
  let text = "";
  for await (const piece of answered?.pipeThrough(new TextDecoderStream()) ?? []) {
    text += piece;
    if (/^data: .*\n\n/m.test(text)) break;
  }
  left.abort();
  return { status, text };
}

function inEnum(value: unknown): unknown {
  return Array.isArray(value) ? value.map(inEnum) : enumName(String(value));
}

/** The operation whose rules a subscription follows. */
const SUBSCRIPTIONS = { agentSessionEvents: "get" } as const;

const TOOL_WAYS = Object.entries(TOOLS).map(([name, { operation }]) => toolWay(name, operation));
const FIELD_WAYS = [
  ...[...Object.entries(FIELDS), ...Object.entries(SECOND_FIELDS)].flatMap(([operation, field]) => {
    if (!isOperation(operation)) return [];
    const keyword = OPERATIONS[operation].kind === "query" ? "query" : "mutation";
    const root = keyword === "query" ? schema.getQueryType() : schema.getMutationType();
    const definition = root?.getFields()[fieldName(operation, field)];
    return definition ? [fieldWay(keyword, definition, operation, field)] : [];
  }),
  ...Object.entries(SUBSCRIPTIONS).flatMap(([name, operation]) => {
    const definition = schema.getSubscriptionType()?.getFields()[name];
    return definition ? [fieldWay("subscription", definition, operation, FIELDS[operation])] : [];
  }),
];
const WAYS: readonly Way[] = [...TOOL_WAYS, ...FIELD_WAYS];
const TELLING = tellingOf(WAYS);
