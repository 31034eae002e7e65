import { OPERATIONS } from "../../../src/contract/operations.ts";
import { QUERY_LIMITS } from "../../../src/interfaces/graphql/limit-query.ts";
import { listEndpoints } from "../../../src/interfaces/http/endpoints.ts";
import { type RealServer, textOf } from "../../serve/server-process.ts";

export interface CostlyRequest {
  readonly name: string;
  /** Resolves with the status, when all of the answer is there. */
  send(): Promise<number>;
}

const MB = 1024 * 1024;

/** Large sessions, and then every read of every route at its largest, and the largest bodies to those that take one. */
export async function costlyRequests(server: RealServer): Promise<CostlyRequest[]> {
  const entity_id = await fill(server);
  const made = await server.ask("POST", "/tokens", { body: { name: "reader", scope: "read" } });
  const token = textOf(made.json, "token");
  const get = (path: string) => ({
    name: `GET ${path}`,
    send: async () => (await server.ask("GET", path, { token })).status,
  });
  const post = (name: string, path: string, body: string, by = token) => ({
    name: `POST ${path}, ${name}`,
    send: async () => {
      const headers = {
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        ...(by && { authorization: `Bearer ${by}` }),
      };
      const answer = await fetch(`${server.url}${path}`, { method: "POST", headers, body });
      await answer.text();
      return answer.status;
    },
  });

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
    get("/history?limit=1000&order_by=ended_at"),
    get(`/sessions?search=${"word ".repeat(30)}&limit=1000`),
    ...bodies.flatMap(([name, body]) => [
      ...paths.map((path) => post(name, path, body)),
      post(`${name}, no token`, "/login", body, ""),
    ]),
    ...Object.entries(QUERIES).map(([name, query]) =>
      post(name, "/graphql", JSON.stringify({ query })),
    ),
    ...["list_sessions", "read_log", "get_history"].map((tool) =>
      post(
        tool,
        "/mcp",
        callOf(tool, { limit: 1000, ...(tool === "read_log" && { id: "large" }) }),
      ),
    ),
  ];
}

async function fill(server: RealServer): Promise<string> {
  const create = (body: object) => server.ask("POST", "/sessions", { body });
  const large = await create({ agent_name: "a", session_id: "large" });
  for (let n = 0; n < 60; n += 1) {
    const body = { input: `turn ${n}`, output: "x".repeat(MB) };
    await server.ask("POST", "/sessions/large/turns", { body });
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

const QUERIES = {
  "the history of a large session":
    '{ agentSession(sessionId: "large") { history(last: 1000) { output } } }',
  "the histories of all sessions": "{ agentSessions(limit: 100) { history(last: 50) { output } } }",
  "as long as may be": `{ __typename ${"#".repeat(QUERY_LIMITS.text - 100)}\n }`,
};

function callOf(name: string, args: object): string {
  const params = { name, arguments: args };
  return JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params });
}
