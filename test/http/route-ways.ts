import type { OperationName } from "../../src/contract/operations.ts";
import { OPERATIONS } from "../../src/contract/operations.ts";
import type { Endpoint } from "../../src/doors/http/list-endpoints.ts";
import { describeEndpoints } from "../../src/doors/http/openapi/describe-api.ts";
import { OWN_OPERATIONS } from "../../src/doors/http/routes.ts";
import { FEED_START, writeFeedPosition } from "../../src/service/follow/feed-position.ts";
import type { Fields, Reply, Way } from "./judge-ways.ts";
import { errorOf } from "./send.ts";

/** Every route that needs a token, from the server's own tables. */
export const ENDPOINTS = describeEndpoints();

/** The routes of operations, once as a request and once more as a stream if there is one. */
export const ROUTE_WAYS: readonly Way[] = ENDPOINTS.flatMap((endpoint) => {
  const operation = operationOf(endpoint);
  if (operation === null) return [];
  const { accepts } = endpoint.own ?? {};
  return [
    routeWay(endpoint, operation, "application/json"),
    ...(accepts ? [routeWay(endpoint, operation, accepts)] : []),
  ];
});

/** Routes without an operation name nothing that belongs to anyone. */
export const OTHER_ENDPOINTS = ENDPOINTS.filter((endpoint) => operationOf(endpoint) === null);

function operationOf({ operation, method, path, own }: Endpoint): OperationName | null {
  if (operation) return operation.operation;
  const [first = ""] = nameOf({ method, path })
    .replace("/agent-sessions", "/sessions")
    .split("/create");
  const found = Object.entries(OWN_OPERATIONS).find(([, { route }]) => own && route === first);
  return isOperation(found?.[0]) ? found[0] : null;
}

function isOperation(name: string | undefined): name is OperationName {
  return name !== undefined && Object.hasOwn(OPERATIONS, name);
}

export function nameOf({ method, path }: Pick<Endpoint, "method" | "path">): string {
  return `${method} ${path}`;
}

function routeWay(endpoint: Endpoint, operation: OperationName, accept: string): Way {
  const { method, path } = endpoint;
  const needs = [...path.matchAll(/:(\w+)/g)].map(([, name = ""]) => name);
  const isStream = accept === "text/event-stream";
  return {
    label: `route ${nameOf(endpoint)}${isStream ? " as a stream" : ""}`,
    operation,
    needs,
    async ask({ url }, token, input) {
      const at = path.replaceAll(/:(\w+)/g, (_, name) => encodeURIComponent(String(input[name])));
      const rest = without(input, [...needs, ...Object.keys(endpoint.operation?.fixed ?? {})]);
      const hasBody = method === "POST" || method === "PATCH";
      // Both streams start at their end by default.
      const given = isStream
        ? { after: path === "/events" ? writeFeedPosition(FEED_START) : "0" }
        : rest;
      const query = hasBody ? "" : `?${new URLSearchParams(textsOf(given))}`;
      return askFirst(`${url}${at}${query}`, {
        method,
        headers: {
          accept,
          ...(token !== null && { authorization: `Bearer ${token}` }),
          ...(hasBody && { "content-type": "application/json" }),
        },
        ...(hasBody && { body: JSON.stringify(rest) }),
      });
    },
  };
}

function without(input: Fields, fields: readonly string[]): Fields {
  return Object.fromEntries(Object.entries(input).filter(([field]) => !fields.includes(field)));
}

function textsOf(fields: Fields): [string, string][] {
  return Object.entries(fields).map(([field, value]) => [field, String(value)]);
}

/** A stream is closed after its first event, or if nothing comes, because it would not end by itself. */
async function askFirst(url: string, request: RequestInit): Promise<Reply> {
  const left = new AbortController();
  const answer = await fetch(url, { ...request, signal: left.signal });
  const { status, headers } = answer;
  if (!headers.get("content-type")?.startsWith("text/event-stream")) {
    const text = await answer.text();
    // A header that only exists for someone's data would reveal it. Whether the connection is kept depends on how much
    // of the request has arrived.
    const transport = ["connection", "keep-alive"];
    const names = [...headers.keys()]
      .filter((name) => !transport.includes(name))
      .toSorted()
      .join();
    return { status, code: status < 400 ? null : String(errorOf(text)), text: `${text} ${names}` };
  }
  const timer = setTimeout(() => left.abort(), QUIET_MS);
  let text = "";
  try {
    for await (const piece of answer.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      text += piece;
      if (/^data: .*\n\n/m.test(text)) break;
    }
  } catch (error) {
    if (!left.signal.aborted) throw error;
  }
  clearTimeout(timer);
  left.abort();
  return { status, code: null, text };
}

const QUIET_MS = 300;
