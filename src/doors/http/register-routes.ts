import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { BelayError, refuse } from "../../contract/errors.ts";
import { OPERATIONS, type OperationName } from "../../contract/operations.ts";
import { SCOPES, type Scope } from "../../contract/vocabulary.ts";
import { expectScope } from "../../service/expect-scope.ts";
import { acceptsType } from "./accepts-type.ts";
import { answerRefusal, refusalOf } from "./answer-error.ts";
import type { HttpParts, OwnRoute, RouteCall } from "./http-parts.ts";
import type { Endpoint } from "./list-endpoints.ts";
import type { OpenRoute } from "./open-routes.ts";
import type { OpenStreams } from "./open-streams.ts";
import { readBody, readBodyText, readInput } from "./read-input.ts";
import type { OperationRoute } from "./routes.ts";

export function registerRoutes(
  app: FastifyInstance,
  endpoints: readonly Endpoint[],
  open: readonly OpenRoute[],
  parts: HttpParts,
  streams: OpenStreams,
): void {
  for (const endpoint of endpoints) {
    const { method, path, operation, own } = endpoint;
    app.route({
      method,
      url: path,
      config: { scope: lowestScope(endpoint), file: own?.takes === "bytes" },
      ...limitedTo(operation ? undefined : own?.bodyLimit),
      // A stream has no end for a HEAD request to wait for.
      exposeHeadRoute: operation !== null,
      handler: (request, reply) => {
        if (operation && own) reply.header("vary", "accept");
        if (own && (!operation || wants(request, own)))
          return callOwn(own, request, reply, parts, streams);
        if (operation) return callOperation(operation, request, reply, parts);
        throw new Error(`nothing answers ${method} ${path}`);
      },
    });
  }
  for (const { method, path, handle, bodyLimit, page = false } of open) {
    const config = { open: true, page };
    app.route({ method, url: path, config, handler: handle, ...limitedTo(bodyLimit) });
  }
  refuseOtherMethods(app, [...endpoints, ...open]);
}

function limitedTo(bodyLimit: number | undefined): { readonly bodyLimit?: number } {
  return bodyLimit === undefined ? {} : { bodyLimit };
}

/** The lowest scope that any handler here accepts, so that other requests are refused before their body is read. */
function lowestScope({ operation, own }: Endpoint): Scope {
  const scopes = [
    ...(operation ? [OPERATIONS[operation.operation].scope] : []),
    ...(own ? [own.scope] : []),
  ];
  return SCOPES.find((scope) => scopes.includes(scope)) ?? "admin";
}

async function callOperation<K extends OperationName>(
  route: OperationRoute<K>,
  request: FastifyRequest,
  reply: FastifyReply,
  { service }: HttpParts,
): Promise<unknown> {
  const { caller } = admittedOf(request);
  const output = await service.call(route.operation, readInput(route, request), caller);
  reply.code(route.status ?? 200);
  return route.present ? route.present(output) : output;
}

async function callOwn(
  route: OwnRoute,
  request: FastifyRequest,
  reply: FastifyReply,
  parts: HttpParts,
  streams: OpenStreams,
): Promise<unknown> {
  const { admission, caller } = admittedOf(request);
  expectScope(admission.scope, route.scope);
  const body = readBodyFor(route, request);
  const call = new OwnCall({ request, reply, admission, caller, body }, streams);
  const answer = await route.handle(call).catch(async (error: unknown) => {
    // Operations record their refusals themselves; a route is more than one operation.
    const isRefused = error instanceof BelayError && error.code === "not_allowed";
    if (isRefused) await parts.noteRefused(caller, `${route.method} ${route.path}`);
    return breakOff(error, call);
  });
  if (answer !== undefined || reply.sent) return answer;
  return reply.code(204).send();
}

/** A class, because the engine keeps an object with a getter of its own, and all that it refers to, for long. */
class OwnCall implements RouteCall {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly admission: RouteCall["admission"];
  readonly caller: RouteCall["caller"];
  readonly body: unknown;
  readonly #streams: OpenStreams;
  #signal: AbortSignal | undefined;

  constructor(
    { request, reply, admission, caller, body }: Omit<RouteCall, "signal">,
    streams: OpenStreams,
  ) {
    this.request = request;
    this.reply = reply;
    this.admission = admission;
    this.caller = caller;
    this.body = body;
    this.#streams = streams;
  }

  /** Created on demand, because most answers are short and never look at it. */
  get signal(): AbortSignal {
    this.#signal ??= this.#streams.add(this.admission, this.reply.raw);
    return this.#signal;
  }
}

function readBodyFor({ takes }: OwnRoute, request: FastifyRequest): unknown {
  if (takes === "bytes") return request.body;
  return takes === "text" ? readBodyText(request) : readBody(request);
}

/** Ends an answer that a route writes itself. */
function breakOff(error: unknown, { request, reply: { raw, sent } }: RouteCall): undefined {
  if (!sent) throw error;
  request.log.error({ trace_id: request.id, err: error }, "an answer broke off");
  if (raw.headersSent) {
    raw.destroy();
    return;
  }
  const { status, headers, body } = answerRefusal(refusalOf(error));
  raw.writeHead(status, { ...headers, "content-type": "application/json; charset=utf-8" });
  raw.end(JSON.stringify(body));
}

function wants({ method, headers }: FastifyRequest, { accepts }: OwnRoute): boolean {
  if (accepts === undefined || method !== "GET") return accepts === undefined;
  return acceptsType(headers, accepts);
}

function admittedOf({ admitted }: FastifyRequest) {
  if (!admitted) throw new Error("a route was reached past the gate");
  return admitted;
}

/** An existing path answers other methods with the list of allowed ones. */
function refuseOtherMethods(
  app: FastifyInstance,
  routes: readonly { readonly method: string; readonly path: string }[],
): void {
  for (const path of new Set(routes.map((route) => route.path))) {
    const known = app.supportedMethods.filter((method) => app.hasRoute({ method, url: path }));
    const others = app.supportedMethods.filter((method) => !known.includes(method));
    app.route({
      method: others,
      url: path,
      config: { refuses: true },
      handler: ({ method }) => {
        const message = `Method not allowed: ${method}. Allowed: ${known.join(", ")}.`;
        throw new BelayError(refuse("wrong_method", message, { allowed: known }));
      },
    });
  }
}
