import { request } from "node:http";
import { OPERATIONS } from "../../../src/contract/operations.ts";
import { QUERY_LIMITS } from "../../../src/doors/graphql/limit-query.ts";
import { listEndpoints } from "../../../src/doors/http/list-endpoints.ts";
import { type RealServer, textOf } from "../../serve/server-process.ts";
import { addHostileSessions, addLink } from "./hostile-sessions.ts";

export interface CostlyRequest {
  readonly name: string;
  /** Resolves with the status when the whole answer has arrived. */
  send(url: string): Promise<number>;
  /** A small request to the same route. */
  warm(url: string): Promise<number>;
}

const MB = 1024 * 1024;

/** Large sessions, then every read of every route at its largest, and the largest bodies for routes that accept one. */
export async function costlyRequests(server: RealServer): Promise<CostlyRequest[]> {
  const entity_id = await fill(server);
  const hostile = await addHostileSessions(server);
  const made = await server.ask("POST", "/tokens", { body: { name: "reader", scope: "read" } });
  const token = textOf(made.json, "token");
  const get = (path: string): CostlyRequest => ({
    name: `GET ${path}`,
    send: (url) => ask(`${url}${path}`, token),
    warm: (url) =>
      ask(
        `${url}${path.replace(/\?.*/, "").replace(/sessions\/[^/]+/, "sessions/small-1")}`,
        token,
      ),
  });
  const post = (name: string, path: string, body: string, by = token): CostlyRequest => ({
    name: `POST ${path}, ${name}`,
    send: (url) => ask(`${url}${path}`, by, body),
    warm: (url) => ask(`${url}${path}`, by, SMALL[path] ?? "{}"),
  });

  const smallLink = await addLink(server, "small-1");
  const openLink = (name: string, link: string): CostlyRequest => ({
    name: `POST /link, ${name}`,
    send: (url) => ask(`${url}/link`, "", JSON.stringify({ link })),
    warm: (url) => ask(`${url}/link`, "", JSON.stringify({ link: smallLink })),
  });
  const queries = { ...QUERIES, ...queriesOf(entity_id) };

  const reads = listEndpoints([])
    .filter(({ method, path }) => method === "GET" && path.startsWith("/agent-") === false)
    .map(({ path, operation }) => {
      const known = operation ? Object.keys(OPERATIONS[operation.operation].input.shape) : [];
      const query = new URLSearchParams({
        ...(known.includes("limit") && { limit: "1000" }),
        ...(known.includes("entity_id") && { entity_id }),
      });
      return get(`${path.replace(/:\w+/g, "large")}?${query}`);
    });
  const bodies = Object.entries(hostileBodies());
  const paths = ["/login", "/sessions", "/graphql", "/mcp", "/hooks/claude-code", "/webhooks/none"];
  return [
    ...reads,
    get("/audit/export"),
    get("/audit/check"),
    get(`/sessions/large/export?redact=true&limit=1000`),
    ...hostile.paths.map(get),
    ...hostile.links.map(({ name, link }) => openLink(name, link)),
    openLink("large", await addLink(server, "large")),
    get("/sessions/large/compare?with=fork-of-large&limit=100"),
    post(
      "a preview",
      "/sessions/fork-of-large/merge",
      JSON.stringify({ dry_run: true }),
      server.token,
    ),
    get("/history?limit=1000&order_by=ended_at"),
    get(`/sessions?search=${"word ".repeat(30)}&limit=1000`),
    // As much as fits into a URL: one deeply nested value, one filter many times, and every filter at once.
    get(`/sessions?status=${"[".repeat(8000)}`),
    get(`/sessions?${"status=active&".repeat(570)}limit=1000`),
    get(`/sessions?${"a[b][c]=".repeat(990)}`),
    get(`/sessions?${Array.from({ length: 900 }, (_, n) => `k${n}=1`).join("&")}`),
    get("/sessions?state=created&agent=b&archived=true&failed=true&search=small&limit=1000"),
    ...bodies.flatMap(([name, body]) => [
      ...paths.map((path) => post(name, path, body)),
      post(`${name}, no token`, "/login", body, ""),
    ]),
    ...Object.entries(queries).map(([name, query]) =>
      post(name, "/graphql", JSON.stringify({ query })),
    ),
    post("a deep variable", "/graphql", JSON.stringify({ query: FILTERED, variables: DEEP })),
    ...Object.entries(TOOLS).map(([tool, args]) => post(tool, "/mcp", callOf(tool, args))),
    post("a batch", "/mcp", `[${Array(100).fill(callOf("query_agent_history", {})).join()}]`),
  ];
}

const TOOLS = {
  list_sessions: { limit: 1000 },
  read_log: { limit: 1000, id: "large" },
  query_agent_history: { limit: 1000 },
  get_session: { id: "many-keys" },
  compare_sessions: { id: "large", with: "fork-of-large", limit: 100 },
} as const;

const SMALL: Readonly<Record<string, string>> = {
  "/graphql": JSON.stringify({ query: "{ agentSessions(limit: 1) { sessionId } }" }),
  "/mcp": JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" }),
};

/** The status is known although the server does not read the rest of a refused body. */
function ask(url: string, token: string, body?: string): Promise<number> {
  const headers = {
    // For GET, that would be a stream, which has no end.
    accept: body === undefined ? "application/json" : "application/json, text/event-stream",
    ...(body !== undefined && {
      "content-type": "application/json",
      "content-length": Buffer.byteLength(body),
    }),
    ...(token && { authorization: `Bearer ${token}` }),
  };
  return new Promise((resolve) => {
    let status = 0;
    const end = () => resolve(status);
    const asking = request(url, { method: body === undefined ? "GET" : "POST", headers });
    asking
      .once("response", (response) => {
        status = response.statusCode ?? 0;
        response.once("error", end).once("close", end).resume();
      })
      .once("error", end)
      .end(body);
  });
}

async function fill(server: RealServer): Promise<string> {
  const create = (body: object) => server.ask("POST", "/sessions", { body });
  const large = await create({ agent_name: "a", session_id: "large" });
  await server.ask("POST", "/sessions/large/fork", { body: { session_id: "fork-of-large" } });
  for (let n = 0; n < 60; n += 1) {
    const body = { input: `turn ${n}`, output: "x".repeat(MB) };
    await server.ask("POST", "/sessions/large/turns", { body });
    if (n < 30) await server.ask("POST", "/sessions/fork-of-large/turns", { body });
  }
  for (let n = 0; n < 300; n += 1) {
    const metadata = n % 10 === 0 ? { note: "y".repeat(MB / 4) } : {};
    await create({ agent_name: "b", session_id: `small-${n}`, metadata });
  }
  return textOf(large.json, "entity_id");
}

function hostileBodies(): Record<string, string> {
  const keys = Array.from({ length: 700_000 }, (_, n) => `"k${n}":1`).join(",");
  return {
    "700,000 keys": `{${keys}}`,
    "8 MB of brackets": "[".repeat(8 * MB - 10),
    "4 million values": `{"a":[${"1,".repeat(4 * MB - 100)}1]}`,
    "one text of 8 MB": JSON.stringify({ message: "x".repeat(8 * MB - 100) }),
    "8 MB of escapes": `{"a":"${"\\u00e9".repeat((8 * MB - 100) / 6)}"}`,
    "49,000 keys": `{${keys.split(",").slice(0, 24_500).join(",")}}`,
  };
}

const nest = (open: string, close: string, times: number): string =>
  `${open.repeat(times)}ACTIVE${close.repeat(times)}`;
const often = (times: number, write: (n: number) => string): string =>
  `{ ${Array.from({ length: times }, (_, n) => write(n)).join(" ")} }`;

const FILTERED =
  "query ($status: [SessionStatus!]) { agentSessions(status: $status) { sessionId } }";
const DEEP = { status: JSON.parse(`${"[".repeat(60)}${"]".repeat(60)}`) };

const QUERIES = {
  "the history of a large session":
    '{ agentSession(sessionId: "large") { history(last: 1000) { output } } }',
  "the histories of all sessions": "{ agentSessions(limit: 100) { history(last: 50) { output } } }",
  "as long as may be": `{ __typename ${"#".repeat(QUERY_LIMITS.text - 100)}\n }`,
  "a deep list as a filter": `{ agentSessions(status: ${nest("[", "]", 60)}) { sessionId } }`,
  "a filter deeper than it may be": `{ agentSessions(status: ${nest("[", "]", 30_000)}) { sessionId } }`,
  "a deep object as a filter": `{ agentSessions(status: ${nest("{a:", "}", 15_000)}) { sessionId } }`,
  "a filter of many values": `{ agentSessions(status: [${"ACTIVE ".repeat(4900)}]) { sessionId } }`,
  "many ids, one alias each": often(
    QUERY_LIMITS.root_fields,
    (n) => `a${n}: agentSession(sessionId: "small-${n * 10}") { sessionId metadata }`,
  ),
  "the same large session by many aliases": often(
    QUERY_LIMITS.root_fields,
    (n) => `a${n}: agentSession(sessionId: "large") { history(last: 60) { output } }`,
  ),
  "many lists with different filters": often(
    QUERY_LIMITS.root_fields,
    (n) => `a${n}: agentSessions(limit: 200, search: "small ${n}") { sessionId metadata }`,
  ),
  "more ids than it may name": often(
    1000,
    (n) => `a${n}: agentSession(sessionId: "small-${n}") { sessionId }`,
  ),
};

/** Operations that read much and show little, as often as one query may name them. */
function queriesOf(entity_id: string): Record<string, string> {
  const each = (field: string) => often(QUERY_LIMITS.root_fields, (n) => `a${n}: ${field}`);
  return {
    "many spans": each(`spans(entityId: "${entity_id}", limit: 1000) { more }`),
    "many exports": each('export(sessionId: "escapes", redact: true) { nextCursor }'),
    "many comparisons": each(
      'compare(sessionId: "large", with: "fork-of-large", limit: 100) { common { seq } }',
    ),
    "many sessions with many keys": each('agentSession(sessionId: "many-keys") { sessionId }'),
    "many audits": each("audit(limit: 1000) { nextCursor }"),
  };
}

function callOf(name: string, args: object): string {
  const params = { name, arguments: args };
  return JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params });
}
