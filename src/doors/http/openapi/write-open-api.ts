import type { z } from "zod";
import { ERRORS, type ErrorCode } from "../../../contract/errors.ts";
import type { Operation } from "../../../contract/operations/operation.ts";
import { OPERATIONS } from "../../../contract/operations.ts";
import type { Endpoint } from "../list-endpoints.ts";
import type { OpenRoute } from "../open-routes.ts";
import { OWN_OPERATIONS, ROUTES } from "../routes.ts";
import { createSchemas, type Field, type Schemas } from "./create-schemas.ts";

/** Describes every route as OpenAPI 3.1. */
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
  for (const route of open.filter(({ page }) => !page))
    put(route.path, route.method, describeOpen(route, schemas));
  return {
    openapi: "3.1.0",
    info: {
      title: "Belay",
      version,
      description: "Durable sessions for AI agents. Every error is {error, message, details}.",
      license: { name: "MIT", identifier: "MIT" },
    },
    security: [{ token: [] }],
    paths: Object.fromEntries(paths),
    components: {
      securitySchemes: {
        token: { type: "http", scheme: "bearer", description: "belay token create" },
      },
      responses: {
        Refused: {
          description: "An error: its code, a message and details",
          content: { "application/json": { schema: { $ref: "#/components/schemas/Error" } } },
        },
      },
      schemas: schemas.all(),
    },
  };
}

function describeEndpoint({ method, path, operation, own }: Endpoint, schemas: Schemas): object {
  const known: Operation | null = operation && OPERATIONS[operation.operation];
  const name = nameOf(method, path);
  const output = operation?.output ?? known?.output ?? own?.output;
  const scope = own?.scope ?? known?.scope;
  const docs = [known?.doc, own?.doc, `Needs a token with scope ${scope}.`];
  const fixed = Object.keys(operation?.fixed ?? {});
  const fields = schemas.fields({ ...own?.input?.shape, ...known?.input.shape });
  const content = {
    ...(output && describeOutput(output, name, schemas)),
    ...(own?.accepts && { [own.accepts]: { schema: { type: "string" } } }),
  };
  return {
    ...describe(method, path, docs, [...GUARDED, ...(known?.errors ?? [])]),
    ...describeInput(
      method,
      path,
      fields
        .filter((field) => !fixed.includes(field.name))
        .map((field) => withDefault(field, operation?.defaults ?? {})),
      schemas,
      own?.takes === "bytes",
    ),
    responses: describeAnswers(operation?.status ?? 200, content),
  };
}

function describeOpen({ method, path, doc, input, output }: OpenRoute, schemas: Schemas): object {
  const content = describeOutput(output, nameOf(method, path), schemas);
  return {
    ...describe(method, path, [doc], OPEN),
    ...describeInput(method, path, schemas.fields(input?.shape ?? {}), schemas),
    responses: describeAnswers(200, content),
    security: [],
  };
}

/** JSON with a schema, or text of a type. */
function describeOutput(output: z.ZodType | string, name: string, schemas: Schemas): object {
  if (typeof output === "string") return { [output]: { schema: { type: "string" } } };
  return { "application/json": { schema: schemas.output(output, name) } };
}

const OPEN = ["invalid_input", "wrong_host"] as const;
const GUARDED = [...OPEN, "not_authenticated", "not_allowed"] as const;

function describe(
  method: string,
  path: string,
  docs: readonly (string | undefined)[],
  errors: readonly ErrorCode[],
): object {
  const doc = docs.filter((each) => each !== undefined).join("\n\n");
  return {
    operationId: idOf(method, path),
    tags: [path.split("/")[1]],
    summary: doc.split("\n")[0],
    description: `${doc}\n\n${listErrors(errors)}`,
  };
}

function describeInput(
  method: string,
  path: string,
  fields: readonly Field[],
  schemas: Schemas,
  isFile = false,
): object {
  const names = [...path.matchAll(/:(\w+)/g)].map(([, name = ""]) => name);
  const given = fields.filter(({ name }) => !names.includes(name) && name !== "idempotency_key");
  const inBody = (method === "POST" || method === "PATCH") && !isFile;
  const parameters = [
    ...names.map((name) => ({
      name,
      in: "path",
      required: true,
      schema: fields.find((field) => field.name === name)?.schema ?? { type: "string" },
    })),
    ...(inBody ? [] : given).map(({ name, required, schema }) => ({
      name,
      in: "query",
      required,
      ...inQuery(schema),
    })),
    ...(fields.some(({ name }) => name === "idempotency_key") ? [IDEMPOTENCY_KEY] : []),
  ];
  return {
    ...(parameters.length > 0 && { parameters }),
    ...(isFile && { requestBody: FILE }),
    ...(inBody && { requestBody: schemas.body(given, nameOf(method, path)) }),
  };
}

const FILE = {
  required: true,
  content: { "application/octet-stream": { schema: { type: "string", format: "binary" } } },
};

function describeAnswers(status: number, content: object): object {
  const refused = { default: { $ref: "#/components/responses/Refused" } };
  if (Object.keys(content).length === 0) return { 204: { description: "Done" }, ...refused };
  return { [status]: { description: "Done", content }, ...refused };
}

function withDefault(field: Field, defaults: Readonly<Record<string, unknown>>): Field {
  if (!Object.hasOwn(defaults, field.name)) return field;
  return { ...field, schema: { ...field.schema, default: defaults[field.name] } };
}

const IDEMPOTENCY_KEY = {
  name: "Idempotency-Key",
  in: "header",
  required: false,
  description:
    "if you repeat a request with the same key, it runs only once and gets the same response",
  schema: { type: "string", minLength: 1, maxLength: 128 },
};

/** Lists are written with commas, objects as JSON. */
function inQuery(schema: Readonly<Record<string, unknown>>): Record<string, unknown> {
  if (schema.type === "object") return { content: { "application/json": { schema } } };
  return schema.type === "array" ? { schema, style: "form", explode: false } : { schema };
}

function listErrors(codes: readonly ErrorCode[]): string {
  const byStatus = Map.groupBy(new Set(codes), (code) => ERRORS[code].http);
  const lines = [...byStatus].map(([status, each]) => `${status} ${each.join(", ")}`);
  return `Errors: ${lines.join("; ")}.`;
}

/** The operation's own name on its main route; elsewhere a name built from method and path. */
function idOf(method: string, path: string): string {
  const route = `${method} ${path}`;
  const home = Object.values(ROUTES).find((each) => `${each.method} ${each.path}` === route);
  const own = Object.entries(OWN_OPERATIONS).find(([, each]) => each.route === route);
  const words = [method.toLowerCase(), ...path.split(/\W+/)].filter(Boolean);
  return home?.operation ?? own?.[0] ?? words.join("_");
}

/** The name of its schemas; a route's second name shares them. */
function nameOf(method: string, path: string): string {
  const words = idOf(method, path.replace(/^\/agent-sessions(?=\/:|$)/, "/sessions")).split("_");
  return words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join("");
}
