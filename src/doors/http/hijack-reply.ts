import type { ServerResponse } from "node:http";
import type { FastifyReply } from "fastify";

/** The raw response with the usual headers, for an answer that is written piece by piece. */
export function hijackReply(reply: FastifyReply): ServerResponse {
  reply.hijack();
  for (const [name, value] of Object.entries(reply.getHeaders())) {
    if (value !== undefined) reply.raw.setHeader(name, value);
  }
  return reply.raw;
}
