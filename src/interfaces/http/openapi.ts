import type { z } from "zod";
import { ERRORS, type ErrorCode } from "../../contract/errors.ts";
import type { Operation } from "../../contract/operations/operation.ts";
import { OPERATIONS } from "../../contract/operations.ts";
import type { Endpoint } from "./endpoints.ts";
import type { OpenRoute } from "./open-routes.ts";
import { createSchemas, type Schemas } from "./openapi-schemas.ts";
import { OWN_OPERATIONS, ROUTES } from "./routes.ts";

/** The description of every route, as OpenAPI 3.1. */
export function writeOpenApi(
  endpoints: readonly Endpoint[],
  open: readonly OpenRoute[],
  version: string,
): Record<string, unknown> {
  const schemas = createSchemas();
  const paths = new Map<string, Record<string, unknown>>();
  const put = (path: string, method: string, described: unknown): void => {
    const key = path.replaceAll(/:(\w+)/g, "{$1}");
    paths.set(key, { ...paths.get(key), [method.toLowerCase()]: described });
  };
  for (const endpoint of endpoints) {
    put(endpoint.path, endpoint.method, describeEndpoint(endpoint, schemas));
  }
  for (const route of open) put(route.path, route.method, describeOpen(route, schemas));
  return {
    openapi: "3.1.0",
    info: {
      title: "Belay",
      version,
      description: "Durable sessions for AI agents. Every error is {error, message, details}.",
      license: { name: "MIT", identifier: "MIT" },
    },
    security: [{ token: [] }, { cookie: [] }],
    paths: Object.fromEntries(paths),
    components: {
      securitySchemes: {
        token: { type: "http", scheme: "bearer", description: "belay token create" },
        cookie: { type: "apiKey", in: "cookie", name: "belay_token", description: "POST /login" },
      },
      schemas: schemas.all(),
    },
  };
}

interface Described {
  readonly method: string;
  readonly path: string;
  readonly id: string;
  readonly doc: string;
  readonly input: z.ZodObject | null;
  readonly hidden: readonly string[];
  readonly content: Readonly<Record<string, unknown>> | null;
  readonly status: number;
  readonly errors: readonly ErrorCode[];
}

function describeEndpoint({ method, path, operation, own }: Endpoint, schemas: Schemas): unknown {
  const known: Operation | null = operation && OPERATIONS[operation.operation];
  const output = operation?.output ?? known?.output ?? own?.output;
  const scope = own?.scope ?? known?.scope ?? (known?.kind === "query" ? "read" : "write");
  const docs = [known?.doc, own?.doc].filter((doc) => doc !== undefined);
  const streamed = own?.accepts ?? null;
  return describe(
    {
      method,
      path,
      id: idOf(method, path),
      doc: `${docs.join("\n\n")}\n\nNeeds a token that allows to ${scope}.`,
      input: known?.input ?? own?.input ?? null,
      hidden: Object.keys(operation?.fixed ?? {}),
      content:
        output || streamed
          ? {
              ...(output && { "application/json": { schema: schemas.output(output) } }),
              ...(streamed && { [streamed]: { schema: { type: "string" } } }),
            }
          : null,
      status: operation?.status ?? 200,
      errors: [...GUARDED, ...(known?.errors ?? [])],
    },
    schemas,
  );
}

function describeOpen(route: OpenRoute, schemas: Schemas): unknown {
  const described = describe(
    {
      ...route,
      id: idOf(route.method, route.path),
      input: route.input ?? null,
      hidden: [],
      content: { "application/json": { schema: schemas.output(route.output) } },
      status: 200,
      errors: OPEN,
    },
    schemas,
  );
  return { ...described, security: [] };
}

const OPEN = ["invalid_input", "wrong_host"] as const;
const GUARDED = [...OPEN, "not_authenticated", "not_allowed"] as const;

function describe(route: Described, schemas: Schemas): Record<string, unknown> {
  const { method, path, id, doc, input, content, status, errors } = route;
  const [summary = ""] = doc.split("\n");
  const inPath = [...path.matchAll(/:(\w+)/g)].map(([, name = ""]) => name);
  const fields = input ? schemas.fields(input) : [];
  const shown = fields.filter(({ name }) => !inPath.includes(name) && !route.hidden.includes(name));
  const keyed = shown.some(({ name }) => name === "idempotency_key");
  const given = shown.filter(({ name }) => name !== "idempotency_key");
  const hasBody = method === "POST" || method === "PATCH";
  const parameters = [
    ...inPath.map((name) => ({
      name,
      in: "path",
      required: true,
      schema: fields.find((field) => field.name === name)?.schema ?? { type: "string" },
    })),
    ...(hasBody ? [] : given).map(({ name, required, schema }) => ({
      name,
      in: "query",
      required,
      ...inQuery(schema),
    })),
    ...(keyed ? [IDEMPOTENCY_KEY] : []),
  ];
  const body = hasBody && input !== null ? { requestBody: schemas.body(given, input) } : {};
  return {
    operationId: id,
    tags: [path.split("/")[1]],
    summary,
    description: doc,
    ...(parameters.length > 0 && { parameters }),
    ...body,
    responses: {
      [content ? status : 204]: { description: "Done", ...(content && { content }) },
      ...describeErrors(errors),
    },
  };
}

const IDEMPOTENCY_KEY = {
  name: "Idempotency-Key",
  in: "header",
  required: false,
  description: "sent again with the same key, a request is done once and answered the same",
  schema: { type: "string", minLength: 1, maxLength: 128 },
};

/** Lists are written with commas, objects as JSON. */
function inQuery(schema: Readonly<Record<string, unknown>>): Record<string, unknown> {
  if (schema.type === "object") return { content: { "application/json": { schema } } };
  return schema.type === "array" ? { schema, style: "form", explode: false } : { schema };
}

function describeErrors(codes: readonly ErrorCode[]): Record<string, unknown> {
  const byStatus = Map.groupBy(new Set(codes), (code) => ERRORS[code].http);
  const content = { "application/json": { schema: { $ref: "#/components/schemas/Error" } } };
  return Object.fromEntries(
    [...byStatus].map(([status, each]) => [status, { description: each.join(", "), content }]),
  );
}

/** The operation's own name where it is at home; elsewhere a name made of method and path. */
function idOf(method: string, path: string): string {
  const route = `${method} ${path}`;
  const home = Object.values(ROUTES).find((each) => `${each.method} ${each.path}` === route);
  const own = Object.entries(OWN_OPERATIONS).find(([, each]) => each.route === route);
  return (
    home?.operation ??
    own?.[0] ??
    [method.toLowerCase(), ...path.split(/\W+/)].filter(Boolean).join("_")
  );
}
