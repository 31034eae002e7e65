import type { RequestListener } from "node:http";
import { createServer as createPlainServer, type Server, ServerResponse } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { Socket } from "node:net";
import { ERRORS, type Refusal, refuse } from "../../contract/errors.ts";
import { writeError } from "./answer-error.ts";
import { becomesSocket } from "./sockets/accept-sockets.ts";

export interface HttpAddress {
  readonly host: string;
  /** 0 picks a free port. */
  readonly port: number;
  /** Host names besides localhost: `name`, or `name:port` behind a proxy. */
  readonly allowedHosts?: readonly string[];
  /** Certificate and key as PEM text. */
  readonly tls?: { readonly cert: string; readonly key: string } | null;
}

export interface HttpTimes {
  /** The time limit for all headers of a request. */
  readonly headers_ms: number;
  /** The time limit for the whole request. */
  readonly request_ms: number;
  /** How long a client may go without receiving any part of its answer. */
  readonly answer_ms: number;
  readonly keep_alive_ms: number;
  /** How often the time limits are checked. */
  readonly check_ms: number;
  /** How long running requests may take when the server shuts down. */
  readonly grace_ms: number;
  /** How often the tokens of open streams are checked. */
  readonly admission_ms: number;
}

export const HTTP_TIMES: HttpTimes = {
  headers_ms: 10_000,
  request_ms: 30_000,
  answer_ms: 30_000,
  keep_alive_ms: 10_000,
  check_ms: 2_000,
  grace_ms: 5_000,
  admission_ms: 1_000,
};

const MAX_HEADER_BYTES = 16 * 1024;

/** Node's server with limits. Its own refusals have the same form as all others. */
export function createServer(
  handler: RequestListener,
  { tls }: HttpAddress,
  times: HttpTimes,
): Server {
  const options = {
    headersTimeout: times.headers_ms,
    requestTimeout: times.request_ms,
    keepAliveTimeout: times.keep_alive_ms,
    connectionsCheckingInterval: times.check_ms,
    maxHeaderSize: MAX_HEADER_BYTES,
    // The gate checks the Host header itself, in our own words.
    requireHostHeader: false,
    // Every other upgrade is treated as a normal request, which the gate refuses.
    shouldUpgradeCallback: becomesSocket,
  };
  const server = tls
    ? createTlsServer({ ...options, ...tls }, handler)
    : createPlainServer(options, handler);
  // A client that asks before it sends a body is answered after the gate, when the body is read.
  server.on("checkContinue", handler);
  return server;
}

/** Answers invalid input: garbage, endless headers, bodies that never come. */
export function answerClientError(error: Error & { readonly code?: string }, socket: Socket): void {
  const response = "_httpMessage" in socket ? socket._httpMessage : null;
  const hasBegun = response instanceof ServerResponse && response.headersSent;
  if (!socket.writable || hasBegun || error.code === "ECONNRESET") {
    socket.destroy();
    return;
  }
  const refusal = refusalOf(error.code);
  // Set for the log, which records how the request ended.
  if (response instanceof ServerResponse) response.statusCode = ERRORS[refusal.error].http;
  socket.end(writeError(refusal), () => socket.destroy());
}

function refusalOf(code: string | undefined): Refusal {
  if (code === "ERR_HTTP_REQUEST_TIMEOUT") {
    return refuse(
      "request_timeout",
      "The request did not arrive in time. Send it again without pauses.",
    );
  }
  if (code === "HPE_HEADER_OVERFLOW") {
    return refuse("too_large", "The headers are too long.", { max: MAX_HEADER_BYTES });
  }
  return refuse("invalid_input", "This is not an HTTP request.");
}
