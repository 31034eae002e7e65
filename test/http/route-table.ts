import { Readable } from "node:stream";
import { WEB_PAGES } from "../../src/doors/http/web/web-pages.ts";
import { sessionFiles } from "../../src/service/session-files.ts";
import type { TestServer } from "./open-server.ts";
import { ENDPOINTS, nameOf } from "./route-ways.ts";

/** The things that a route is called with. */
export interface Prepared {
  readonly id: string;
  readonly action_id: string;
  readonly approval_id: string;
  readonly task_id: string;
  readonly token_id: string;
  readonly webhook: string;
  readonly name: "saved";
  readonly digest: string;
}

/** Pages and their files: open to everyone, and not part of the API. */
export const PAGE_ROUTES = [...WEB_PAGES.map((path) => `GET ${path}`), "GET /assets/:name"];

/** Routes without a token. */
export const OPEN_ROUTES = [
  "GET /health",
  "POST /login",
  "POST /login/proof",
  "GET /login/options",
  "POST /login/openid",
  "POST /login/openid/finish",
  "POST /login/device",
  "POST /login/device/token",
  "POST /login/openid/logout",
  "POST /link",
  "POST /webhooks/:webhook",
  ...PAGE_ROUTES,
  // A page for browsers, not for tokens: see test/graphql/graphiql.test.ts.
  "GET /graphql",
  "GET /graphql/assets/:name",
];

/** Every route that needs a token. */
export const API_ROUTES = ENDPOINTS.map(nameOf);

/** A session of ann's, a task and a token. */
export async function prepare({ service, makeToken, runner }: TestServer): Promise<Prepared> {
  const caller = { owner: "ann", actor: "test", interface: "library", trace_id: null } as const;
  const { session_id: id } = await service.call("create", { agent_name: "elsewhere" }, caller);
  await service.call("save_checkpoint", { id, name: "saved", state: { step: 1 } }, caller);
  const { action_id } = await service.call("begin_action", { id, type: "build" }, caller);
  const { task_id } = await service.call("add_task", { title: "Prepared" }, caller);
  const { id: token_id } = await makeToken("ann", "read");
  const { digest } = await sessionFiles(runner.context).add(
    caller,
    { id, name: "kept" },
    Readable.from([Buffer.from("kept")]),
  );
  const asking = await service.call("create", { agent_name: "elsewhere" }, caller);
  const asked = { id: asking.session_id, title: "May I?" };
  const { approval_id } = await service.call("request_approval", asked, caller);
  const none = { webhook: "none" };
  return { ...none, id, approval_id, action_id, task_id, token_id, name: "saved", digest };
}

export function pathOf(route: string, prepared: Prepared): string {
  const fields = new Map(Object.entries(prepared));
  const [, path = ""] = route.split(" ");
  return path.replaceAll(/:(\w+)/g, (_, name) => fields.get(name) ?? name);
}
