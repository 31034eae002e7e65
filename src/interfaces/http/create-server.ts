import type { RequestListener } from "node:http";
import { createServer as createPlainServer, type Server, ServerResponse } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { Socket } from "node:net";
import { ERRORS, type Refusal, refuse } from "../../contract/errors.ts";
import { writeError } from "./answer-error.ts";
import { becomesSocket } from "./sockets/accept-sockets.ts";

export interface HttpAddress {
  readonly host: string;
  /** 0 picks a free one. */
  readonly port: number;
  /** Names besides localhost under which it is reached: `name`, or `name:port` where a proxy stands before it. */
  readonly allowedHosts?: readonly string[];
  /** Certificate and key as PEM text. */
  readonly tls?: { readonly cert: string; readonly key: string } | null;
}

export interface HttpTimes {
  /** Until all headers of a request are there. */
  readonly headers_ms: number;
  /** Until the whole request is there. */
  readonly request_ms: number;
  /** How long a client may take nothing of its answer. */
  readonly answer_ms: number;
  readonly keep_alive_ms: number;
  /** How often it is looked for those who are late. */
  readonly check_ms: number;
  /** How long requests may still run when the server ends. */
  readonly grace_ms: number;
  /** How often it is asked whether those with open streams may stay. */
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

/** Node's server, within limits. What it refuses itself has the form of every other refusal. */
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
    // The gate says so itself, in our own words.
    requireHostHeader: false,
    // Every other upgrade is a request like any, for the gate to refuse.
    shouldUpgradeCallback: becomesSocket,
  };
  const server = tls
    ? createTlsServer({ ...options, ...tls }, handler)
    : createPlainServer(options, handler);
  // A client that asks before it sends a body is answered after the gate, when the body is wanted.
  server.on("checkContinue", handler);
  return server;
}

/** Answers what is no request: garbage, headers without end, bodies that never come. */
export function answerClientError(error: Error & { readonly code?: string }, socket: Socket): void {
  const response = "_httpMessage" in socket ? socket._httpMessage : null;
  const hasBegun = response instanceof ServerResponse && response.headersSent;
  if (!socket.writable || hasBegun || error.code === "ECONNRESET") {
    socket.destroy();
    return;
  }
  const refusal = refusalOf(error.code);
  // For the log: this is how its request ended.
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
