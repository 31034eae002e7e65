import type { Scope } from "../../src/contract/vocabulary.ts";
import { WEB_PAGES } from "../../src/interfaces/http/web/web-pages.ts";
import type { TestServer } from "./open-server.ts";

/** What is there for a route to be called with. */
export interface Prepared {
  readonly id: string;
  readonly action_id: string;
  readonly approval_id: string;
  readonly task_id: string;
  readonly token_id: string;
  readonly webhook: string;
  readonly name: "saved";
}

export interface Row {
  readonly needs: Scope;
  readonly body?: unknown;
  /** What the owner is answered. */
  readonly own: number;
  /** What another owner is answered who asks for the same. */
  readonly other: number;
  /** What has to have happened to the session. */
  readonly after?: "suspend" | "delete" | "approval" | "webhook";
}

const read = (own = 200, other = 404): Row => ({ needs: "read", own, other });
const write = (body: unknown = undefined, own = 200, other = 404): Row => ({
  needs: "write",
  own,
  other,
  ...(body !== undefined && { body }),
});

/** Every route below /sessions, and the same below /agent-sessions. */
const SESSION_ROUTES: Readonly<Record<string, Row>> = {
  "GET ": read(200, 200),
  "POST ": write({ agent_name: "elsewhere" }, 201, 201),
  "GET /:id": read(),
  "PATCH /:id": write({ phase: "planning" }),
  "DELETE /:id": write(),
  "GET /:id/should-resume": read(200, 200),
  "GET /:id/resume-plan": read(),
  "GET /:id/messages": read(),
  // Its agent lives elsewhere.
  "POST /:id/messages": write({ message: "hello" }, 404),
  "GET /:id/events": read(),
  "POST /:id/suspend": write(),
  "POST /:id/resume": { ...write(), after: "suspend" },
  "POST /:id/cancel": write(),
  "POST /:id/interrupt": write(undefined, 409),
  "POST /:id/finalize": write({ outcome: "abandoned" }),
  "POST /:id/complete": write(),
  "POST /:id/fail": write({ error: "it broke" }),
  "POST /:id/archive": write(),
  "POST /:id/rename": write({ title: "New" }),
  "POST /:id/pin": write(),
  "POST /:id/unpin": write(),
  "POST /:id/undelete": { ...write(), after: "delete" },
  "POST /:id/fork": write(undefined, 201),
  "POST /:id/turns": write({ input: "a", output: "b" }, 201),
  "POST /:id/actions": write({ type: "deploy" }, 201),
  "POST /:id/actions/:action_id/complete": write({ result: "success" }),
  "POST /:id/checkpoints": write({ name: "again", state: {} }, 201),
  "GET /:id/checkpoints": read(),
  "GET /:id/checkpoints/:name": read(),
  "POST /:id/checkpoints/:name/restore": write(),
  "POST /:id/outcomes": write({ type: "pull-request" }, 201),
  "POST /:id/artifacts": write({ name: "plan.md" }, 201),
  "POST /:id/approvals": write({ title: "May I?" }, 201),
};

/** Nobody listens there. */
const WEBHOOK = { url: "http://127.0.0.1:9/", on: ["session.failed"], allow_private: true };

const OTHER_ROUTES: Readonly<Record<string, Row>> = {
  "POST /agent-sessions/create": write({ agent_name: "elsewhere" }, 201, 201),
  "POST /agent-sessions/list": { needs: "read", body: { limit: 5 }, own: 200, other: 200 },
  "GET /counts": read(200, 200),
  // Found by its id alone, not by its name.
  "GET /checkpoints/:name": read(404),
  "GET /approvals": read(200, 200),
  "POST /approvals/:approval_id": { ...write({ decision: "approved" }), after: "approval" },
  // It is not recovery that asks.
  "POST /approvals/:approval_id/answer": {
    ...write({ answer: "continue" }, 400),
    after: "approval",
  },
  "POST /recover": write({ dry_run: true }, 200, 200),
  "GET /recoveries": read(200, 200),
  "POST /cleanup": write({ hours: 24, dry_run: true }, 200, 200),
  "POST /observations": write(
    {
      session_id: "observed-1",
      actions: [{ type: "commit", result: "success" }],
      started_at: "2025-12-31T11:45:00Z",
    },
    200,
    200,
  ),
  "GET /events": read(200, 200),
  "GET /history": read(200, 200),
  "GET /timeline": read(400, 400),
  "GET /spans": read(400, 400),
  "GET /audit": read(200, 200),
  "GET /stats": read(200, 200),
  "GET /next": read(200, 200),
  "GET /agents": read(200, 200),
  "GET /tasks": read(200, 200),
  "POST /tasks": write({ title: "A task" }, 201, 201),
  "PATCH /tasks/:task_id": write({ status: "running" }),
  "GET /tokens": { needs: "admin", own: 200, other: 200 },
  "POST /tokens": { needs: "admin", body: { name: "one" }, own: 201, other: 201 },
  "DELETE /tokens/:token_id": { needs: "admin", own: 200, other: 404 },
  "GET /webhooks": { needs: "admin", own: 200, other: 200 },
  "POST /webhooks": { needs: "admin", body: WEBHOOK, own: 201, other: 201 },
  "POST /accepted-webhooks": {
    needs: "admin",
    body: { name: "issues", preset: "github", agent_name: "demo" },
    own: 201,
    other: 201,
  },
  "DELETE /webhooks/:webhook": { needs: "admin", own: 200, other: 404, after: "webhook" },
  "POST /webhooks/:webhook/test": { needs: "admin", own: 200, other: 404, after: "webhook" },
  "GET /webhooks/:webhook/deliveries": { needs: "admin", own: 200, other: 404, after: "webhook" },
  "GET /metrics": { needs: "admin", own: 200, other: 200 },
  "GET /openapi.json": read(200, 200),
  "POST /hooks/claude-code": write({ hook_event_name: "Stop" }, 200, 200),
  "POST /mcp": { needs: "read", body: { jsonrpc: "2.0" }, own: 200, other: 200 },
  "GET /mcp": read(200, 200),
  "DELETE /mcp": read(200, 200),
  "POST /graphql": { needs: "read", body: { query: "{ __typename }" }, own: 200, other: 200 },
  "POST /logout": read(204, 204),
  "POST /login/links": { needs: "admin", own: 201, other: 201 },
};

/** Pages and what they load: anyone may come to them, and they are no part of the API. */
export const PAGE_ROUTES = [...WEB_PAGES.map((path) => `GET ${path}`), "GET /assets/:name"];

/** Those that need no token. */
export const OPEN_ROUTES = [
  "GET /health",
  "POST /login",
  "POST /login/proof",
  "POST /webhooks/:webhook",
  ...PAGE_ROUTES,
  // A page for browsers, not for tokens: see test/graphql/graphiql.test.ts.
  "GET /graphql",
  "GET /graphql/assets/:name",
];

/** Who may do what: every route that needs a token. */
export const ROUTE_TABLE: Readonly<Record<string, Row>> = {
  ...below("/sessions"),
  ...below("/agent-sessions"),
  ...OTHER_ROUTES,
};

function below(prefix: string): Record<string, Row> {
  return Object.fromEntries(
    Object.entries(SESSION_ROUTES).map(([route, row]) => [route.replace(" ", ` ${prefix}`), row]),
  );
}

/** A session of ann's, a task and a token, as the row wants them. */
export async function prepare({ service, makeToken }: TestServer, row: Row): Promise<Prepared> {
  const caller = { owner: "ann", actor: "test", interface: "library", trace_id: null } as const;
  const { session_id: id } = await service.call("create", { agent_name: "elsewhere" }, caller);
  await service.call("save_checkpoint", { id, name: "saved", state: { step: 1 } }, caller);
  const { action_id } = await service.call("begin_action", { id, type: "build" }, caller);
  const { task_id } = await service.call("add_task", { title: "Prepared" }, caller);
  const { id: token_id } = await makeToken("ann", "read");
  let approval_id = "none";
  let webhook = "none";
  if (row.after === "suspend") await service.call("suspend", { id }, caller);
  if (row.after === "delete") await service.call("delete", { id }, caller);
  if (row.after === "approval") {
    approval_id = (await service.call("request_approval", { id, title: "May I?" }, caller))
      .approval_id;
  }
  if (row.after === "webhook") {
    webhook = (await service.call("add_webhook", WEBHOOK, caller)).id;
  }
  return { id, action_id, approval_id, task_id, token_id, webhook, name: "saved" };
}

export function pathOf(route: string, prepared: Prepared): string {
  const fields = new Map(Object.entries(prepared));
  const [, path = ""] = route.split(" ");
  return path.replaceAll(/:(\w+)/g, (_, name) => fields.get(name) ?? name);
}
