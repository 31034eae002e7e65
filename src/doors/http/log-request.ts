import type { FastifyReply, FastifyRequest } from "fastify";
import type { Logger } from "pino";
import type { HttpMetrics } from "./http-metrics.ts";

/**
 * Writes one log line when a request ends. It never contains the URL, headers or body, because they may hold secrets.
 */
export function logRequest(
  request: FastifyRequest,
  reply: FastifyReply,
  route: string,
  log: Logger,
  metrics: HttpMetrics,
): void {
  const started = performance.now();
  // The response emits it once.
  reply.raw.on("close", () => {
    const ms = Math.round((performance.now() - started) * 100) / 100;
    const { method, admitted } = request;
    const { headersSent, statusCode } = reply.raw;
    const status = headersSent || statusCode >= 400 ? statusCode : CLIENT_LEFT;
    metrics.observe(method, route, status, ms);
    log.info(
      {
        trace_id: request.id,
        method,
        route,
        status,
        ms,
        token_id: admitted?.admission.token_id ?? null,
        owner: admitted?.admission.owner ?? null,
      },
      "request",
    );
  });
}

/** The status that other servers log if the client disconnected before its answer. */
const CLIENT_LEFT = 499;
