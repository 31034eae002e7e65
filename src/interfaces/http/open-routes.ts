import type { FastifyReply, FastifyRequest } from "fastify";
import { z } from "zod";
import { BelayError, refuse } from "../../contract/errors.ts";
import { graphiqlRoutes } from "./graphiql/graphiql-routes.ts";
import type { HttpParts } from "./http-parts.ts";
import { readBody } from "./read-input.ts";
import { readPublicLink } from "./read-public-link.ts";
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

/** A login code is the longest valid body there. */
export const SMALL_BODY_BYTES = 4 * 1024;

const Challenge = z.strictObject({ nonce: z.string().min(16).max(100) });
const Login = z.strictObject({ code: z.string().min(1).max(200) });

export function openRoutes(parts: HttpParts): OpenRoute[] {
  return [
    {
      method: "GET",
      path: "/health",
      doc: "Check that the server is ready; 503 if it is running but cannot work",
      output: z.object({
        status: z.enum(["ok", "degraded"]),
        version: z.string(),
        reason: z.string().optional(),
      }),
      async handle(_, reply) {
        const { version } = parts;
        const reason = parts.problem?.() ?? null;
        if (reason === null) return { status: "ok", version };
        reply.code(503);
        return { status: "degraded", version, reason };
      },
    },
    {
      method: "POST",
      path: "/login",
      doc: "Log a browser in with a one-time code. Never put the code in a URL",
      input: Login,
      bodyLimit: SMALL_BODY_BYTES,
      output: z.object({ owner: z.string(), scope: z.string(), token: z.string() }),
      async handle(request) {
        const login = Login.safeParse(readBody(request));
        if (!login.success) throw new BelayError(refuse("invalid_input", 'Send {"code": "..."}.'));
        const token = await parts.redeem(login.data.code);
        const admission = token === null ? null : await parts.admit(token);
        if (!admission) {
          const message =
            "This link has expired or was already used. Run `belay login` for a new one.";
          throw new BelayError(refuse("not_authenticated", message));
        }
        return { owner: admission.owner, scope: admission.scope, token };
      },
    },
    {
      method: "POST",
      path: "/login/proof",
      doc: "Prove that this is the server of the data folder, before a program sends it a token",
      input: Challenge,
      output: z.object({ proof: z.string().nullable() }),
      async handle(request) {
        const asked = Challenge.safeParse(readBody(request));
        if (!asked.success) throw new BelayError(refuse("invalid_input", 'Send {"nonce": "..."}.'));
        return { proof: parts.prove(asked.data.nonce) };
      },
    },
    readPublicLink(parts),
    receiveWebhook(parts),
    ...webPages(),
    ...graphiqlRoutes(parts),
  ];
}
