import { type GraphQLField, getNamedType, isEnumType } from "graphql";
import { isRecord } from "../../src/contract/is-record.ts";
import type { OperationName } from "../../src/contract/operations.ts";
import { OPERATIONS } from "../../src/contract/operations.ts";
import { argumentName, createSchema, fieldName } from "../../src/doors/graphql/create-schema.ts";
import type { OperationField } from "../../src/doors/graphql/fields.ts";
import { FIELDS, isOperation, SECOND_FIELDS } from "../../src/doors/graphql/fields.ts";
import { enumName } from "../../src/doors/graphql/words.ts";
import { TOOLS } from "../../src/doors/mcp/tools.ts";
import { wholeSelection } from "../graphql/whole-selection.ts";
import type { Fields, Way } from "./judge-ways.ts";
import type { TestServer } from "./open-server.ts";

/** Every tool and every field of GraphQL, as ways to ask for an operation. */
export const schema = createSchema();

export const MCP_ACCEPT = { accept: "application/json, text/event-stream" };

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

/** An answer comes as JSON, or as the one message of a stream. */
export function readMcp(text: string): Fields {
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

/** A stream is left after its first event: it would not end by itself. */
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

/** Which operation's rules a subscription follows. */
const SUBSCRIPTIONS = { agentSessionEvents: "get" } as const;

export const TOOL_WAYS: readonly Way[] = Object.entries(TOOLS).map(([name, { operation }]) =>
  toolWay(name, operation),
);
export const FIELD_WAYS: readonly Way[] = [
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
