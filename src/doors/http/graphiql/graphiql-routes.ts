import { BelayError, refuse } from "../../../contract/errors.ts";
import { isRecord } from "../../../contract/is-record.ts";
import { admitRequest } from "../gate.ts";
import type { HttpParts } from "../http-parts.ts";
import type { OpenRoute } from "../open-routes.ts";
import { isTypedAddress } from "../web/web-pages.ts";
import { GRAPHIQL_ASSETS, isAssetName, readAsset } from "./graphiql-assets.ts";
import { GRAPHIQL_PAGE, GRAPHIQL_POLICY } from "./graphiql-page.ts";

/** The GraphiQL page. Like the other pages it contains no user data, and sends requests with the browser's token. */
export function graphiqlRoutes(parts: HttpParts): OpenRoute[] {
  return [
    {
      method: "GET",
      path: "/graphql",
      doc: "GraphiQL, a page for GraphQL queries in the browser",
      output: "text/html",
      async handle(request, reply) {
        if (!isTypedAddress(request)) {
          await admitRequest(request.raw, parts, request.id, "GET /graphql");
          const message = "Use POST. GET is only for the page in a browser.";
          throw new BelayError(refuse("wrong_method", message, { allowed: ["POST"] }));
        }
        reply.header("content-security-policy", GRAPHIQL_POLICY);
        return reply.type("text/html; charset=utf-8").send(GRAPHIQL_PAGE);
      },
    },
    {
      method: "GET",
      path: "/graphql/assets/:name",
      doc: "Files of the GraphiQL page",
      output: "*/*",
      async handle({ params }, reply) {
        const name = nameOf(params);
        if (!isAssetName(name)) {
          throw new BelayError(refuse("route_not_found", "File not found. Reload GraphiQL."));
        }
        return reply.type(GRAPHIQL_ASSETS[name].type).send(await readAsset(name));
      },
    },
  ];
}

function nameOf(params: unknown): unknown {
  return isRecord(params) ? params.name : null;
}
