import { getIntrospectionQuery } from "graphql";
import { beforeAll, describe, expect, it } from "vitest";
import { cpuTimeOf } from "../cpu-time.ts";
import { type Answer, openServer, type TestServer } from "../http/open-server.ts";
import { readAnswer } from "./ask-graphql.ts";

const repeat = (times: number, text: (n: number) => string): string =>
  Array.from({ length: times }, (_, n) => text(n)).join(" ");
const nested = (depth: number, open: string, leaf: string): string =>
  `${open.repeat(depth)}${leaf}${"}".repeat(depth)}`;
/** Each spreads the previous one twice: 2^n fields from a small text. */
const doubling = (n: number): string =>
  repeat(n, (k) => `fragment F${k + 1} on Query { ...F${k} ...F${k} }`);

/** Queries that exceed a limit, and their refusals. */
const REFUSED: Readonly<Record<string, readonly [query: string, code: string]>> = {
  "5,000 aliases": [`{ ${repeat(5000, (n) => `a${n}: __typename`)} }`, "too_large"],
  "51 aliases": [`{ agents { ${repeat(51, (n) => `a${n}: __typename`)} } }`, "too_large"],
  "21 fields at the root": [`{ ${repeat(21, () => "__typename")} }`, "too_large"],
  "fields at the root, by fragments": [
    `{ ...F6 } fragment F0 on Query { __typename } ${doubling(6)}`,
    "too_large",
  ],
  "depth 50": [
    `{ next { session { ${nested(50, "... on AgentSession { task { ... on Task {", "taskId").replace(/$/, "}".repeat(100))} } } }`,
    "too_large",
  ],
  "schema of schema": [`{ __schema { types { ${nested(20, "ofType {", "name")} } } }`, "too_large"],
  "types of fields of types": [
    "{ __schema { types { fields { type { fields { type { fields { type { fields { name } } } } } } } } } }",
    "too_large",
  ],
  "a fragment that contains itself": ["{ ...A } fragment A on Query { ...A }", "invalid_input"],
  "fragments in a circle": [
    "{ ...A } fragment A on Query { ...B } fragment B on Query { ...C } fragment C on Query { ...A }",
    "invalid_input",
  ],
  "a fragment that doubles 40 times": [
    `{ ...F40 } fragment F0 on Query { agents { agents { name } } } ${doubling(40)}`,
    "too_large",
  ],
  "400 fragments": [
    `{ ...F0 } ${repeat(400, (n) => `fragment F${n} on Query { __typename ...F${n + 1} }`)}`,
    "too_large",
  ],
  "21 directives": [`{ __typename ${repeat(21, () => "@include(if: true)")} }`, "too_large"],
  "10,000 directives": [`{ __typename ${repeat(10_000, () => "@a")} }`, "invalid_input"],
  "the same field 2,000 times": [
    `{ agents { agents { ${repeat(2000, () => "name")} } } }`,
    "too_large",
  ],
  "long lists of long lists": [
    "{ agentSessions(limit: 1000) { history(last: 1000) { turnId output } } }",
    "too_large",
  ],
  "many long lists": [
    `{ ${repeat(20, (n) => `l${n}: agentSessions(limit: 1000) { sessionId agentName state status phase title }`)} }`,
    "too_large",
  ],
  "100,000 brackets": ["{".repeat(50_000), "invalid_input"],
  "brackets of values": [`{ timeline(entityId: ${"[".repeat(20_000)} `, "invalid_input"],
  "a long text": [`{ __typename } # ${"x".repeat(70_000)}`, "too_large"],
  "no query at all": ["", "invalid_input"],
  "what is no GraphQL": ["SELECT * FROM sessions", "invalid_input"],
  "a field that there is not": ["{ secrets }", "invalid_input"],
  "an unknown operation": ["query A { __typename } query B { __typename }", "invalid_input"],
};

let shared: TestServer;
let server: TestServer;
beforeAll(async () => {
  shared = await openServer({ shared: true });
  // The first query pays for one-time work.
  await shared.ask("POST", "/graphql", { body: { query: "{ x }" } });
});

describe("requests that are refused before they are executed", () => {
  it.each(Object.entries(REFUSED))("%s", async (_name, [query, code]) => {
    server = shared;
    const { status, json, ms: first } = await timed(query);
    const { data, errors } = readAnswer(json);
    expect(data).toEqual({});
    expect(errors.map((error) => error.code)).toEqual(errors.map(() => code));
    expect(errors.length).toBeGreaterThan(0);
    expect(status).toBe(code === "too_large" ? 413 : 400);
    // Refused queries are not cached: the fastest of three is their real cost, without other load on this machine.
    const again = [await timed(query), await timed(query)];
    expect(Math.min(first, ...again.map(({ ms }) => ms))).toBeLessThan(LATE_MS);
  });

  it("a cost that depends on the variables", async () => {
    server = shared;
    const query =
      "query ($n: Int = 1000) { agentSessions(limit: $n) { history(last: $n) { turnId output } } }";
    const told = await timed(query);
    expect(readAnswer(told.json).errors).toMatchObject([{ code: "too_large" }]);
    const less = await timed(query, { n: 20 });
    expect(readAnswer(less.json)).toEqual({ data: { agentSessions: [] }, errors: [] });
    const more = await timed(query, { n: 900 });
    expect(readAnswer(more.json).errors).toMatchObject([{ code: "too_large" }]);
  });

  it("a list of 100 queries", async () => {
    server = shared;
    const body = Array.from({ length: 100 }, () => ({ query: "{ __typename }" }));
    const { status, json } = await server.ask("POST", "/graphql", { body });
    expect([status, readAnswer(json).errors[0]?.code]).toEqual([400, "invalid_input"]);
  });

  it("10 MB of query", async () => {
    server = shared;
    const { status, ms } = await timed(`{ __typename } # ${"x".repeat(10_000_000)}`);
    expect(status).toBe(413);
    // Most of the time is spent on sending.
    expect(ms).toBeLessThan(10 * LATE_MS);
  });

  it.each([
    ["a text for a number", { n: "many" }],
    ["a fraction for a whole number", { n: 1.5 }],
    ["a list for a number", { n: [1] }],
    ["an object for a number", { n: {} }],
    ["a number that is too large", { n: 1e30 }],
    ["a word that there is not", { p: "DREAMING" }],
    ["a word in our own form", { p: "planning" }],
    ["a number for a time", { t: 5 }],
  ])("variables of the wrong type: %s", async (_name, variables) => {
    server = shared;
    const query =
      "query ($n: Int, $p: Phase, $t: DateTime) { agentSessions(limit: $n, phase: $p, from: $t) { sessionId } }";
    const { status, json } = await timed(query, variables);
    expect([status, readAnswer(json).errors[0]?.code]).toEqual([400, "invalid_input"]);
  });

  it.each([[{ variables: [1] }], [{ variables: "x" }], [{ operationName: 5 }], [{ query: 5 }]])(
    "an invalid body: %j",
    async (wrong) => {
      server = shared;
      const body = { query: "{ __typename }", ...wrong };
      const { status, json } = await server.ask("POST", "/graphql", { body });
      expect([status, readAnswer(json).errors[0]?.code]).toEqual([400, "invalid_input"]);
    },
  );
});

describe("an answer", () => {
  it("is cut off if it is too large, whatever else was requested", async () => {
    server = await openServer();
    const caller = { owner: "ann", actor: "test", interface: "library", trace_id: null } as const;
    for (let n = 0; n < 12; n += 1) {
      const metadata = { note: "x".repeat(250_000) };
      const session = { agent_name: "a", session_id: `large-${n}`, metadata };
      await server.service.call("create", session, caller);
    }
    const { status, json } = await timed(
      `{ ${repeat(20, (n) => `a${n}: agentSessions(search: "large", limit: ${n + 20}) { sessionId metadata }`)} }`,
    );
    const { errors } = readAnswer(json);
    expect([status, errors.map(({ code }) => code)]).toEqual([200, ["too_large"]]);
    const small = await timed(
      `{ ${repeat(20, (n) => `a${n}: agentSessions(limit: 20, agentName: "b${n}") { sessionId }`)} }`,
    );
    expect(readAnswer(small.json).errors).toEqual([]);
  });
});

describe("requests that are accepted", () => {
  it("introspection by tools", async () => {
    server = shared;
    const { json } = await timed(getIntrospectionQuery());
    expect(readAnswer(json).errors).toEqual([]);
  });

  it("50 sessions with all related data", async () => {
    server = shared;
    const { json } = await timed(
      "{ agentSessions(limit: 50) { sessionId history { turnId input output } artifacts { name uri } checkpoints { name } task { title } } }",
    );
    expect(readAnswer(json)).toEqual({ data: { agentSessions: [] }, errors: [] });
  });
});

const LATE_MS = 100;

async function timed(query: string, variables: Readonly<Record<string, unknown>> = {}) {
  const asked = Promise.withResolvers<Answer>();
  const ms = await cpuTimeOf(async () =>
    asked.resolve(await server.ask("POST", "/graphql", { body: { query, variables } })),
  );
  return { ...(await asked.promise), ms };
}
