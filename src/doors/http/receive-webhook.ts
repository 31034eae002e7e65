import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";
import { BelayError, refuse } from "../../contract/errors.ts";
import type { HttpParts } from "./http-parts.ts";
import type { OpenRoute } from "./open-routes.ts";
import { readJson } from "./read-json.ts";

const DOC = `Receive a request from another service under an accepted name, and send it to an agent as a message.

Needs a signature instead of a token: \`X-Hub-Signature-256\` as GitHub sends it, or the headers of Standard Webhooks, not \
older than five minutes. Returns 202 with the session and the turn that will answer, without waiting for the answer. Returns \
200 with \`ignored\` for an event that is not accepted. A refused request does not learn why it was refused.`;

/** Refusals take this long in every case, so that their time does not show which names exist. */
const REFUSED_AFTER_MS = 50;
const MAX_BODY_BYTES = 1024 * 1024;

/** POST /webhooks/:webhook receives deliveries under an accepted name. */
export function receiveWebhook({ webhooks }: HttpParts): OpenRoute {
  return {
    method: "POST",
    path: "/webhooks/:webhook",
    doc: DOC,
    input: z.looseObject({}),
    output: z.object({
      session_id: z.string().optional(),
      turn_id: z.string().optional(),
      ignored: z.string().optional().describe("the event that is not accepted"),
    }),
    bodyLimit: MAX_BODY_BYTES,
    async handle({ params, headers, body, id }, reply) {
      if (headers.origin !== undefined || headers["sec-fetch-site"] !== undefined) {
        throw new BelayError(
          refuse(
            "not_allowed",
            "Browsers cannot send requests to webhooks. Send this request from a server.",
          ),
        );
      }
      const refusedAt = performance.now() + REFUSED_AFTER_MS;
      const raw = Buffer.isBuffer(body) ? body : Buffer.alloc(0);
      const admitted = await webhooks?.admit(Params.parse(params).webhook, headers, raw);
      if (!webhooks || !admitted) {
        await sleep(Math.max(0, refusedAt - performance.now()));
        const message = "Unknown webhook name, or the signature does not match.";
        throw new BelayError(refuse("not_authenticated", message));
      }
      const taken = await webhooks.take(admitted, readJson(raw), id);
      if (!("ignored" in taken)) reply.code(202);
      return taken;
    },
  };
}

const Params = z.object({ webhook: z.string() });
