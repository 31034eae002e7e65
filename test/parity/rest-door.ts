import { ERRORS } from "../../src/contract/errors.ts";
import { fieldTypeOf } from "../../src/contract/field-type.ts";
import type { Operation } from "../../src/contract/operations/operation.ts";
import type { OperationName } from "../../src/contract/operations.ts";
import { OPERATIONS } from "../../src/contract/operations.ts";
import type { OperationRoute } from "../../src/doors/http/routes.ts";
import { OWN_OPERATIONS, ROUTES } from "../../src/doors/http/routes.ts";
import { type RealServer, recordOf } from "../serve/server-process.ts";
import type { Answer, Door, Fields } from "./door.ts";
import { withoutFixed } from "./door.ts";

type Target = Pick<OperationRoute, "method" | "path" | "fixed" | "status" | "present">;

/** Requests to a real server, from the table of routes. */
export function openRestDoor(server: RealServer): Door {
  return {
    call(operation, input) {
      const target = targetOf(operation);
      const given = target && withoutFixed(input, target.fixed);
      return given && ask(server, operation, target, given);
    },
    present(operation, output) {
      const present = targetOf(operation)?.present;
      return present ? present(output) : output;
    },
    async close() {
      await server.end();
    },
  };
}

function targetOf(operation: OperationName): Target | undefined {
  const routes: Partial<Record<OperationName, OperationRoute>> = ROUTES;
  const own: Partial<Record<OperationName, { readonly route: string }>> = OWN_OPERATIONS;
  const [method, path] = own[operation]?.route.split(" ") ?? [];
  return method === "POST" && path !== undefined ? { method, path } : routes[operation];
}

async function ask(
  server: RealServer,
  operation: OperationName,
  { method, path, status: expected }: Target,
  input: Fields,
): Promise<Answer> {
  const { idempotency_key: key, ...rest } = input;
  const named = path.split("/").flatMap((part) => (part.startsWith(":") ? [part.slice(1)] : []));
  const place = path.replace(/:(\w+)/g, (_, field) => encodeURIComponent(String(input[field])));
  const left = Object.entries(rest).filter(([field]) => !named.includes(field));
  const headers = key === undefined ? {} : { "idempotency-key": String(key) };
  const { status, json, text } =
    method === "GET"
      ? await server.ask(method, `${place}${queryOf(operation, left)}`, { headers })
      : await server.ask(method, place, { headers, body: Object.fromEntries(left) });
  if (status < 300) {
    const wanted = operation === "create" ? 201 : (expected ?? 200);
    return { ok: true, value: status === wanted ? json : `${status}, not ${wanted}: ${text}` };
  }
  const { error } = recordOf(json);
  const known = Object.entries(ERRORS).find(([code]) => code === error);
  if (!known) throw new Error(`${method} ${place}: ${status} ${text}`);
  return { ok: false, error: known[1].http === status ? known[0] : `${error}, but ${status}` };
}

function queryOf(operation: OperationName, fields: readonly (readonly [string, unknown])[]) {
  const { shape }: Operation["input"] = OPERATIONS[operation].input;
  const query = new URLSearchParams(
    fields.map(([field, value]): [string, string] => {
      const schema = shape[field];
      const json = schema !== undefined && fieldTypeOf(schema) === "json";
      return [field, json ? JSON.stringify(value) : String(value)];
    }),
  );
  return query.size === 0 ? "" : `?${query}`;
}
