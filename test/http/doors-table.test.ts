import { type GraphQLField, getNamedType, isEnumType } from "graphql";
import { describe, expect, it } from "vitest";
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
import { createGraphqlDoor } from "../../src/interfaces/graphql/graphql-door.ts";
import { enumName } from "../../src/interfaces/graphql/words.ts";
import { createMcpDoor } from "../../src/interfaces/mcp/mcp-over-http.ts";
import { TOOLS } from "../../src/interfaces/mcp/tools.ts";
import type { BelayService } from "../../src/service/belay-service.ts";
import type { Caller } from "../../src/service/context.ts";
import { readDetails } from "../../src/service/read/read-details.ts";
import { storeFor } from "../../src/service/recorder-store.ts";
import type { StreamStore } from "../../src/store/stream-store.ts";
import { wholeSelection } from "../graphql/whole-selection.ts";
import type { CallerName, DoorRow, Things } from "./doors-table.ts";
import {
  ABSENT,
  CALLERS,
  DOOR_TABLE,
  MARK,
  mayDo,
  prepareAnns,
  prepareWebhooks,
  readAnns,
  sessionEventsIn,
} from "./doors-table.ts";
import { openServer, type TestServer } from "./open-server.ts";

type Fields = Readonly<Record<string, unknown>>;

/** A tool, or a field of GraphQL, and the operation that it stands for. */
interface Way {
  readonly label: string;
  readonly operation: OperationName;
  ask(server: TestServer, token: string | null, input: Fields): Promise<Reply>;
}

interface Reply {
  readonly status: number;
  /** How it was refused; null: it was done. */
  readonly code: string | null;
  readonly text: string;
}

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

describe("every tool and every field of GraphQL", () => {
  it("has its line in the table", async () => {
    const server = await openDoors();
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
    expect(await findViolations(await openDoors(), EVERYONE)).toEqual([]);
  }, 60_000);
});

describe("a service that does not look", () => {
  it("at scopes is found out, at every command", async () => {
    const server = await openDoors(({ scope, ...caller }) => caller);
    const found = (await findViolations(server, ["reader"])).join("\n");
    const commands = WAYS.filter(({ operation }) => !mayDo("reader", operation));
    for (const { label } of commands) expect(found).toContain(`${label} by reader`);
  }, 60_000);

  it("at who created a session is found out, at every query that has something to tell", async () => {
    const server = await openDoors((caller) =>
      caller.scope === "record" ? { ...caller, scope: "write" } : caller,
    );
    const found = (await findViolations(server, ["recorder"])).join("\n");
    const telling = TELLING.filter(({ operation }) => mayDo("recorder", operation));
    for (const { label } of telling) expect(found).toContain(`${label} by recorder`);
    expect(found).toContain("recorder changed what is ann's");
  }, 60_000);

  it("at owners is found out, at every query that has something to tell", async () => {
    const server = await openDoors((caller) => ({ ...caller, owner: "ann" }));
    const found = (await findViolations(server, ["otherAdmin"])).join("\n");
    for (const { label } of TELLING) expect(found).toContain(`${label} by otherAdmin`);
    expect(found).toContain("otherAdmin changed what is ann's");
  }, 60_000);
});

/** Calls everything in the names of these callers, and says what should not have been so. */
async function findViolations(
  server: TestServer,
  callers: readonly CallerName[],
): Promise<string[]> {
  const tokens = await tokensOf(server);
  const bob = { owner: "bob", actor: "test", interface: "library", trace_id: null } as const;
  await server.service.call("create", { agent_name: "elsewhere", title: "Bob's" }, bob);
  const shared = new Map<DoorRow["after"], Things>();
  for (const after of [undefined, "suspend", "delete"] as const) {
    shared.set(after, await prepareWebhooks(server, await prepareAnns(server, after)));
  }
  const found: string[] = [];
  let before = await readAnns(server);
  for (const caller of callers) {
    const isOwn = caller === "owner" || caller === "admin";
    const check = async ({ way, row }: (typeof CALLS)[number]): Promise<void> => {
      const { operation, label } = way;
      const isChanged = isOwn && mayDo(caller, operation) && !isQuery(operation);
      const things = isChanged ? await prepareFor(server, way, row) : shared.get(row.after);
      const ask = (input: Fields): Promise<Reply> => way.ask(server, tokens[caller], input);
      const wrongs = await judge({ operation, row, caller, ask }, things ?? ABSENT);
      found.push(...wrongs.map((wrong) => `${label} by ${caller}: ${wrong}`));
    };
    // What another owner makes is in the way of what is asked later, so that these ask in turn.
    if (isOther(caller)) for (const call of CALLS) await check(call);
    else await Promise.all(CALLS.map(check));
    const after = await readAnns(server);
    // A recorder makes sessions of its own beside those that ann has.
    const isSame = caller === "recorder" ? isKept(before, after) : after === before;
    if (!isOwn && !isSame) found.push(`${caller} changed what is ann's`);
    before = after;
  }
  return found;
}

/** Whether every session that there was is as it was. */
function isKept(before: string, after: string): boolean {
  const [old, now] = [sessionEventsIn(before), sessionEventsIn(after)];
  const known = new Set(old.values());
  const kept = [...now].filter(([, id]) => known.has(id));
  return kept.length === old.size && kept.every(([hash]) => old.has(hash));
}

/** Whoever may change things is given new ones each time. */
async function prepareFor(server: TestServer, way: Way, row: DoorRow): Promise<Things> {
  const things = await prepareAnns(server, row.after);
  return way.operation.includes("webhook") ? prepareWebhooks(server, things) : things;
}

interface Asked {
  readonly operation: OperationName;
  readonly row: DoorRow;
  readonly caller: CallerName;
  ask(input: Fields): Promise<Reply>;
}

async function judge(asked: Asked, things: Things): Promise<string[]> {
  const { operation, row, caller, ask } = asked;
  if (isOther(caller)) {
    const byEntity = { ...things, session: things.entity };
    const absent = { ...ABSENT, session: ABSENT.entity };
    return [
      ...(await judgeOther(asked, things, ABSENT)),
      ...(await judgeOther(asked, byEntity, absent)),
    ];
  }
  const reply = await ask(row.input(things));
  const said = tell(reply);
  if (caller === "recorder") {
    // What is ann's was not made by it: it may record, but nothing of hers is told.
    const isRight = mayDo(caller, operation) || reply.code === "not_allowed";
    return isRight && !reply.text.includes(MARK) ? [] : [said];
  }
  if (CALLERS[caller] === null) {
    return reply.status === 401 && !reply.text.includes(MARK) ? [] : [said];
  }
  const expected = mayDo(caller, operation) ? (row.refused ?? null) : "not_allowed";
  if (reply.code !== expected) return [`not ${expected ?? "done"}: ${said}`];
  const isTold = expected === null && isQuery(operation) && !row.wordless;
  return isTold && !reply.text.includes(MARK) ? [`tells nothing: ${said}`] : [];
}

/** What is ann's is answered as what never was. */
async function judgeOther(
  { operation, row, caller, ask }: Asked,
  anns: Things,
  absent: Things,
): Promise<string[]> {
  const input = row.input(anns);
  const named = JSON.stringify(input);
  const reply = await ask(input);
  const wrongs: string[] = [];
  if (!mayDo(caller, operation) && reply.code !== "not_allowed") wrongs.push(tell(reply));
  const { owner, ...ids } = anns;
  const hidden = [MARK, ...Object.values(ids)].filter((text) => !named.includes(text));
  const leaked = hidden.filter((text) => reply.text.includes(text));
  if (leaked.length > 0) wrongs.push(`tells ${leaked}: ${tell(reply)}`);
  const never = row.input(absent);
  if (named === JSON.stringify(never)) return wrongs;
  const mine = plain(reply, anns);
  const nobodys = plain(await ask(never), absent);
  if (mine !== nobodys) wrongs.push(`not as if it were not there: ${mine} but ${nobodys}`);
  return wrongs;
}

function tell({ status, code, text }: Reply): string {
  return `${status} ${code} ${text.slice(0, 300)}`;
}

/** An answer without what differs from one to the next. */
function plain({ status, code, text }: Reply, things: Things): string {
  const names = Object.entries(things).toSorted(([, a], [, b]) => b.length - a.length);
  const told = names.reduce(
    (rest, [key, value]) => rest.replaceAll(new RegExp(`\\b${value}\\b`, "g"), `<${key}>`),
    text,
  );
  return `${status} ${code} ${told
    .replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|agent-\d{8}-\d{6}-\w{8}/g, "<id>")
    .replaceAll(/belay_[\w-]+|whsec_[\w+/=]+|[\w-]{43}/g, "<secret>")
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "<time>")}`;
}

function isOther(caller: CallerName): boolean {
  return caller === "other" || caller === "otherAdmin";
}

function isQuery(operation: OperationName): boolean {
  return OPERATIONS[operation].kind === "query";
}

async function tokensOf(server: TestServer): Promise<Readonly<Record<CallerName, string | null>>> {
  const { ann, bob } = server.tokens;
  const revoked = await server.makeToken("ann", "admin");
  await server.revoke(revoked.id);
  return {
    nobody: null,
    revoked: revoked.token,
    reader: ann.read,
    recorder: ann.record,
    other: bob.write,
    // Has nothing that the other one has made.
    otherAdmin: (await server.makeToken("carl", "admin")).token,
    owner: ann.write,
    admin: ann.admin,
  };
}

/** The real doors behind the real gate; `change` makes of each caller what the service is told of it. */
async function openDoors(change?: (caller: Caller) => Caller): Promise<TestServer> {
  const stores: StreamStore[] = [];
  const server: TestServer = await openServer({
    wrap: (store) => {
      stores.push(store);
      return store;
    },
    parts: {
      doors: {
        mcp: (request, response, body, caller) => mcp.handle(request, response, body, caller),
        hook: async () => "",
      },
      ...(change && {
        graphql: {
          answer: (...asked) => graphql.answer(...asked),
          converse: (peer) => graphql.converse(peer),
        },
      }),
    },
  });
  const [store] = stores;
  if (!store) throw new Error("no store was opened");
  const service: BelayService = {
    call: (name, input, caller) => server.service.call(name, input, change?.(caller) ?? caller),
  };
  const mcp = createMcpDoor(service, "0.0.0-test");
  const graphql = createGraphqlDoor({
    service,
    details: (caller) => readDetails(storeFor(store, caller)),
    watch: (id, from, signal) => server.runner.watchLog(id, from, signal),
    awaitTurn: (caller, sent, ms, signal) => server.runner.awaitTurn(caller, sent, ms, signal),
    expectAgent: (name, cwd) => server.runner.expectAgent(name, cwd),
    report: () => {},
  });
  return server;
}

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

/** An answer comes as JSON, or as the one message of a stream. */
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

/** Queries that an owner is told something by. */
const TELLING = WAYS.filter(
  ({ operation }) => isQuery(operation) && DOOR_TABLE[operation].some(({ wordless }) => !wordless),
);

/** What is asked first is asked while the other owner has nothing that is called like what is ann's. */
const CALLS = (["query", "command"] as const).flatMap((kind) =>
  WAYS.filter(({ operation }) => OPERATIONS[operation].kind === kind).flatMap((way) =>
    DOOR_TABLE[way.operation].map((row) => ({ way, row })),
  ),
);
