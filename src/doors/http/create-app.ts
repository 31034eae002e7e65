import type { FastifyBaseLogger, FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { fastify, LogController } from "fastify";
import type { Logger } from "pino";
import { BelayError, refuse } from "../../contract/errors.ts";
import { LIMITS } from "../../contract/limits.ts";
import type { Scope } from "../../contract/vocabulary.ts";
import { expectScope, hasScope } from "../../service/expect-scope.ts";
import { AnswerBatch } from "./answer-batch.ts";
import { answerRefusal, refusalOf } from "./answer-error.ts";
import type { HttpAddress, HttpTimes } from "./create-server.ts";
import { answerClientError, createServer } from "./create-server.ts";
import { type Admitted, checkRequest } from "./gate.ts";
import { createMetrics } from "./http-metrics.ts";
import type { HttpParts } from "./http-parts.ts";
import { listEndpoints } from "./list-endpoints.ts";
import { logRequest } from "./log-request.ts";
import { openRoutes } from "./open-routes.ts";
import type { OpenStreams } from "./open-streams.ts";
import { writeOpenApi } from "./openapi/write-open-api.ts";
import { OwnHosts } from "./own-hosts.ts";
import { readTraceId } from "./read-trace-id.ts";
import { registerRoutes } from "./register-routes.ts";
import { SECURITY_HEADERS } from "./security-headers.ts";
import { SocketDoor } from "./sockets/accept-sockets.ts";
import { ownRoutes } from "./streams/own-routes.ts";
import { systemRoutes } from "./system-routes.ts";
import { isTypedAddress, sendDocument } from "./web/web-pages.ts";

declare module "fastify" {
  interface FastifyRequest {
    admitted: Admitted | null;
  }
  interface FastifyContextConfig {
    /** True if it needs no token. */
    open?: boolean;
    /** A request with a lower scope is refused before its body is read. */
    scope?: Scope;
    /** True if links from any page may lead to it. */
    page?: boolean;
    /** True if its body is a file, of any type and up to the size limit of files. */
    file?: boolean;
    /** True if it only exists to refuse wrong methods. */
    refuses?: boolean;
  }
}

interface Door {
  readonly parts: HttpParts;
  readonly address: HttpAddress;
  readonly log: Logger;
  readonly times: HttpTimes;
  readonly streams: OpenStreams;
}

/** The largest body that is read. */
const MAX_BODY_BYTES = 8 * 1024 * 1024;
const MAX_URL_LENGTH = 8 * 1024;
const AT_ONCE_CHARS = 16 * 1024;

/** The operations check their inputs themselves. */
function noSchema(): never {
  throw new Error("a route has a schema of Fastify");
}

/** Builds the app with all routes behind the gate. */
export function createApp({ parts, address, log, times, streams }: Door): FastifyInstance {
  const metrics = createMetrics(parts.metrics, () => streams.count);
  const hosts = new OwnHosts(address);
  const logger: FastifyBaseLogger = log;
  let closing = false;

  const app = fastify({
    serverFactory: (handler) => createServer(handler, address, times),
    clientErrorHandler: answerClientError,
    loggerInstance: logger,
    // Fastify's own request logs would contain URLs.
    logController: new LogController({
      disableRequestLogging: true,
      requestIdLogLabel: "trace_id",
    }),
    genReqId: ({ headers }) => readTraceId(headers) ?? parts.newId(),
    bodyLimit: MAX_BODY_BYTES,
    // No route has a schema of Fastify, and its two compilers would take memory.
    schemaController: { compilersFactory: { buildValidator: noSchema, buildSerializer: noSchema } },
    // Our own log lines contain the trace id.
    childLoggerFactory: (own) => own,
    routerOptions: { maxParamLength: MAX_URL_LENGTH },
    return503OnClosing: false,
    frameworkErrors: (error, request, reply) => {
      // These requests have not passed any hook yet.
      const refused = (cause: unknown): void => answer(cause, request, reply);
      enter(request, reply).then(() => refused(error), refused);
    },
  });

  const enter = async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    request.admitted = null;
    // Fastify builds this object each time.
    const { url, config } = request.routeOptions ?? {};
    logRequest(request, reply, url ?? "none", log, metrics);
    reply.headers(SECURITY_HEADERS).header("x-trace-id", request.id);
    const typed = request.is404 && isTypedAddress(request);
    const { open = typed, page = false, scope = "read", file = false } = config ?? {};
    // The method and the route. The address itself may contain secrets.
    const operation = `${request.method} ${url ?? ""}`.trim();
    const path = { open, page, file, operation };
    const admitted = await checkRequest(request.raw, path, hosts, parts, request.id);
    request.admitted = admitted;
    if (admitted && !hasScope(admitted.admission.scope, scope)) {
      await parts.noteRefused(admitted.caller, operation);
      expectScope(admitted.admission.scope, scope);
    }
    checkSize(request, file ? LIMITS.BLOB_BYTES : MAX_BODY_BYTES);
    if (closing)
      throw new BelayError(
        refuse("shutting_down", "The server is shutting down. Retry in a moment."),
      );
  };

  const answer = (error: unknown, request: FastifyRequest, reply: FastifyReply): void => {
    const refusal = isCutShort(request)
      ? refuse("request_timeout", "The request did not arrive in full. Send it again.")
      : refusalOf(error);
    const isPage = request.admitted?.caller.interface === "web";
    const { status, headers, body } = answerRefusal(refusal, isPage);
    if (refusal.error === "internal") log.error({ trace_id: request.id, err: error }, "failed");
    // Closes the connection of a client that still sends a body that nobody reads.
    if (hasBody(request) && !request.raw.complete) reply.header("connection", "close");
    void reply.code(status).headers(headers).send(body);
  };

  app.decorateRequest("admitted", null);
  app.addHook("onRequest", (request, reply, done) => {
    enter(request, reply).then(() => {
      // The client asked first; its body is read next.
      if (request.raw.headers.expect !== undefined) reply.raw.writeContinue();
      done();
    }, done);
  });
  const sockets = new SocketDoor(parts, hosts, streams, log);
  app.addHook("preClose", async () => {
    closing = true;
    sockets.close(times.grace_ms);
  });
  const batch = new AnswerBatch();
  app.addHook("onSend", ({ socket }, reply, payload, done) => {
    const isSmall = typeof payload === "string" && payload.length < AT_ONCE_CHARS;
    const send = (): void => {
      // Otherwise the client would keep the connection, and the server would wait for it.
      if (closing) reply.header("connection", "close");
      // A small answer fits into the socket's buffer and is sent at once.
      if (!isSmall || socket.writableLength > 0) {
        reply.raw.setTimeout(times.answer_ms, () => reply.raw.destroy());
      }
      done();
    };
    if (isSmall) batch.add(send);
    else send();
  });
  app.removeAllContentTypeParsers();
  // The gate has checked the content type; the route parses the body.
  app.addContentTypeParser(
    ["application/json", "*"],
    { parseAs: "buffer" },
    (_request, body, done) => done(null, body),
  );
  // The gate allows this type only for files; the body is passed on as it arrives.
  app.addContentTypeParser("application/octet-stream", (_request, file, done) => done(null, file));
  app.setErrorHandler(answer);
  app.setNotFoundHandler((request, reply) => {
    if (isTypedAddress(request)) return sendDocument(reply.code(404));
    const message = "Path not found. GET /openapi.json lists all paths.";
    throw new BelayError(refuse("route_not_found", message));
  });

  const open = openRoutes(parts);
  // Written on the first request, because that takes longer than the rest of a server's start.
  let document: Record<string, unknown> | undefined;
  const system = systemRoutes(parts, metrics, () => {
    document ??= writeOpenApi(endpoints, open, parts.version);
    return document;
  });
  const endpoints = listEndpoints([...ownRoutes(parts), ...system]);
  registerRoutes(app, endpoints, open, parts, streams);
  sockets.listen(app.server);
  return app;
}

function checkSize(request: FastifyRequest, max: number): void {
  if (request.raw.url !== undefined && request.raw.url.length > MAX_URL_LENGTH) {
    throw new BelayError(refuse("too_large", "The URL is too long.", { max: MAX_URL_LENGTH }));
  }
  if (Number(request.headers["content-length"] ?? 0) > max) {
    const message = `The body is larger than ${max / 2 ** 20} MB.`;
    throw new BelayError(refuse("too_large", message, { max }));
  }
}

function isCutShort({ raw }: FastifyRequest): boolean {
  return raw.destroyed && !raw.complete;
}

function hasBody({ headers }: FastifyRequest): boolean {
  return headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0;
}
