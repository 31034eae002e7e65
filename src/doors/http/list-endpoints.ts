import { OPERATIONS } from "../../contract/operations.ts";
import type { OwnRoute, RouteCall } from "./http-parts.ts";
import { mergeInput, readQuery } from "./read-input.ts";
import type { Method, OperationRoute } from "./routes.ts";
import { ROUTES, SECOND_ROUTES } from "./routes.ts";

/**
 * One method of one path, with everything that answers it: an operation, a route of its own, or one for each type of
 * answer.
 */
export interface Endpoint {
  readonly method: Method;
  readonly path: string;
  readonly operation: OperationRoute | null;
  readonly own: OwnRoute | null;
}

export function listEndpoints(own: readonly OwnRoute[]): Endpoint[] {
  const endpoints = new Map<string, Endpoint>();
  const operations: readonly OperationRoute[] = [...Object.values(ROUTES), ...SECOND_ROUTES];
  for (const operation of operations.flatMap(withSecondName)) {
    put(endpoints, operation, { operation });
  }
  for (const route of [...own.flatMap(withSecondName), ...own.flatMap(createdByQuery)]) {
    put(endpoints, route, { own: route });
  }
  return [...endpoints.values()];
}

function put(
  endpoints: Map<string, Endpoint>,
  { method, path }: { readonly method: Method; readonly path: string },
  answered: Partial<Pick<Endpoint, "operation" | "own">>,
): void {
  const key = `${method} ${path}`;
  const nothing = { operation: null, own: null };
  endpoints.set(key, { method, path, ...(endpoints.get(key) ?? nothing), ...answered });
}

/** Every path below /sessions also exists below /agent-sessions. */
function withSecondName<R extends { readonly path: string }>(route: R): R[] {
  if (!/^\/sessions(?=\/|$)/.test(route.path)) return [route];
  return [route, { ...route, path: `/agent${route.path.replace("/", "-")}` }];
}

function createdByQuery(route: OwnRoute): OwnRoute[] {
  if (route.method !== "POST" || route.path !== "/sessions") return [];
  const { shape } = route.input ?? OPERATIONS.create.input;
  const handle = (call: RouteCall): Promise<unknown> => {
    const body = mergeInput([readQuery(call.request, shape), call.body]);
    return route.handle({ ...call, body, signal: call.signal });
  };
  return [{ ...route, path: "/agent-sessions/create", handle }];
}
