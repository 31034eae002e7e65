import { isDeepStrictEqual } from "node:util";
import type { FastifyRequest } from "fastify";
import { z } from "zod";
import { BelayError, refuse } from "../../contract/errors.ts";
import { fieldTypeOf, readText, WRITTEN_AS } from "../../contract/field-type.ts";
import { isRecord } from "../../contract/is-record.ts";
import type { Operation } from "../../contract/operations/operation.ts";
import { OPERATIONS } from "../../contract/operations.ts";
import { readJson } from "./read-json.ts";
import type { OperationRoute } from "./routes.ts";

/** All parts of a request as the operation's input: the JSON types are right, the values are not checked yet. */
export function readInput(route: OperationRoute, request: FastifyRequest): unknown {
  const operation: Operation = OPERATIONS[route.operation];
  const given = mergeInput([
    request.params,
    route.fixed,
    readQuery(request, operation.input.shape),
    readBody(request),
    readKey(request, operation),
  ]);
  return route.defaults ? { ...route.defaults, ...given } : given;
}

/** The parsed JSON body; undefined without one. */
export function readBody({ body }: FastifyRequest): unknown {
  return Buffer.isBuffer(body) && body.length > 0 ? readJson(body) : undefined;
}

export function readBodyText({ body }: FastifyRequest): string {
  return Buffer.isBuffer(body) ? body.toString("utf8") : "";
}

/** Unknown fields stay text, and the service refuses them. Undefined without a query. */
export function readQuery(
  { url }: FastifyRequest,
  shape: Readonly<Record<string, unknown>>,
): Record<string, unknown> | undefined {
  const mark = url.indexOf("?");
  if (mark < 0) return undefined;
  const query = new URLSearchParams(url.slice(mark + 1));
  return Object.fromEntries(
    [...new Set(query.keys())].map((field) => [
      field,
      readField(field, query.getAll(field), Object.hasOwn(shape, field) ? shape[field] : null),
    ]),
  );
}

/** Merges several objects; a field that occurs twice must have the same value. */
export function mergeInput(sources: readonly unknown[]): Record<string, unknown> {
  const given = sources.filter((source) => source !== undefined).map(expectObject);
  // Most requests have only one.
  if (given.length === 1) return { ...given[0] };
  const merged = new Map<string, unknown>();
  for (const source of given) {
    for (const [field, value] of Object.entries(source)) {
      if (merged.has(field) && !isDeepStrictEqual(merged.get(field), value)) {
        throw invalid(
          `${field}: conflicting values in the path and the body. Send it once.`,
          field,
        );
      }
      merged.set(field, value);
    }
  }
  return Object.fromEntries(merged);
}

function expectObject(source: unknown): Readonly<Record<string, unknown>> {
  if (isRecord(source)) return source;
  throw invalid("The body must be a JSON object.", "");
}

function readField(field: string, texts: readonly string[], schema: unknown): unknown {
  const type = schema instanceof z.ZodType ? fieldTypeOf(schema) : "text";
  if (type === "list") return texts.flatMap((text) => readText(type, text));
  const values = texts.map((text) => readText(type, text));
  if (values.includes(undefined)) throw invalid(`${field}: must be ${WRITTEN_AS[type]}.`, field);
  // A field that is given twice stays a list, which the service refuses.
  return values.length === 1 ? values[0] : values;
}

/**
 * An operation without idempotency keys refuses one, because its caller would rely on a protection that does not exist.
 */
function readKey({ headers }: FastifyRequest, { kind, input }: Operation) {
  const key = headers["idempotency-key"];
  if (key === undefined || kind === "query") return undefined;
  const isLoose = Object.keys(input.shape).length === 0;
  return isLoose ? undefined : { idempotency_key: key };
}

function invalid(message: string, field: string): BelayError {
  return new BelayError(refuse("invalid_input", message, { field }));
}
