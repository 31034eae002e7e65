import type { FastifyReply, FastifyRequest } from "fastify";
import { z } from "zod";
import { graphiqlRoutes } from "./graphiql/graphiql-routes.ts";
import type { HttpParts } from "./http-parts.ts";
import { loginRoutes } from "./login/login-routes.ts";
import { readPublicLink } from "./login/read-public-link.ts";
import { receiveWebhook } from "./receive-webhook.ts";
import { webPages } from "./web/web-pages.ts";

/** A route that needs no token. */
export interface OpenRoute {
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly doc: string;
  readonly input?: z.ZodObject;
  readonly output: z.ZodType | "text/html" | "*/*";
  /** The page contains no user data, so links from any page may lead to it. */
  readonly page?: true;
  /** The largest body that it reads, if the general limit is higher. */
  readonly bodyLimit?: number;
  handle(request: FastifyRequest, reply: FastifyReply): Promise<unknown>;
}

export function openRoutes(parts: HttpParts): OpenRoute[] {
  return [
    {
      method: "GET",
      path: "/health",
      doc: "Check that the server is ready; 503 if it is running but cannot work, 200 with status degraded if it is only slower",
      output: z.object({
        status: z.enum(["ok", "degraded"]),
        version: z.string(),
        reason: z.string().optional(),
      }),
      async handle(_, reply) {
        const { version } = parts;
        const problem = parts.problem?.() ?? null;
        if (problem !== null) reply.code(503);
        const reason = problem ?? parts.slowdown?.() ?? null;
        return reason === null
          ? { status: "ok", version }
          : { status: "degraded", version, reason };
      },
    },
    ...loginRoutes(parts),
    readPublicLink(parts),
    receiveWebhook(parts),
    ...webPages(),
    ...graphiqlRoutes(parts),
  ];
}
