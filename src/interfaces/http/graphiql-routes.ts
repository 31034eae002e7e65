import { BelayError, refuse } from "../../contract/errors.ts";
import { acceptsType } from "./accepts-type.ts";
import { GRAPHIQL_ASSETS, isAssetName, readAsset } from "./graphiql-assets.ts";
import { GRAPHIQL_PAGE, GRAPHIQL_POLICY } from "./graphiql-page.ts";
import type { OwnRoute, RouteCall } from "./http-parts.ts";

/** GraphiQL, for a browser that has logged in. Whoever brings a token is a program, and is answered as if it were not there. */
export function graphiqlRoutes(): OwnRoute[] {
  return [
    {
      method: "GET",
      path: "/graphql",
      doc: "GraphiQL, a page to ask in, for a browser that has logged in",
      scope: "read",
      output: "text/html",
      async handle(call) {
        const { request, reply } = call;
        if (!isLoggedIn(call) || !acceptsType(request.headers, "text/html")) {
          const message = "ask by POST; a browser that has logged in is shown a page";
          throw new BelayError(refuse("wrong_method", message, { allowed: ["POST"] }));
        }
        reply.header("content-security-policy", GRAPHIQL_POLICY);
        reply.type("text/html; charset=utf-8");
        return GRAPHIQL_PAGE;
      },
    },
    {
      method: "GET",
      path: "/graphql/assets/:name",
      doc: "What the page of GraphiQL loads",
      scope: "read",
      output: "*/*",
      async handle(call) {
        const name = nameOf(call.request.params);
        if (!isLoggedIn(call) || !isAssetName(name)) {
          throw new BelayError(refuse("route_not_found", "GraphiQL has no such file"));
        }
        call.reply.type(GRAPHIQL_ASSETS[name].type);
        return readAsset(name);
      },
    },
  ];
}

function isLoggedIn({ request }: RouteCall): boolean {
  return request.admitted?.by === "cookie";
}

function nameOf(params: unknown): unknown {
  return typeof params === "object" && params !== null && "name" in params ? params.name : null;
}
