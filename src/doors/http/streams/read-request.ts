import { BelayError, refuse } from "../../../contract/errors.ts";
import { isRecord } from "../../../contract/is-record.ts";
import type { RouteCall } from "../http-parts.ts";

type Request = RouteCall["request"];

/** The query as texts; an unknown key is refused rather than ignored. */
export function readQuery(
  { query }: Request,
  known: readonly string[],
): Readonly<Record<string, string | undefined>> {
  if (!isRecord(query)) return {};
  const unknown = Object.keys(query).filter((key) => !known.includes(key));
  if (unknown.length > 0) {
    const message = `Unknown parameter ${unknown.join(", ")}. Use: ${known.join(", ")}.`;
    throw new BelayError(refuse("unknown_filter", message, { unknown, known }));
  }
  return Object.fromEntries(Object.entries(query).map(([key, value]) => [key, once(key, value)]));
}

/** The place where a reconnecting client resumes: its Last-Event-ID overrides the original address. */
export function readPlace({ headers }: Request, after: string | undefined): string | undefined {
  const last = headers["last-event-id"];
  return typeof last === "string" && last !== "" ? last : after;
}

/** The fields of the body, path and headers. */
export function readFields({ request, body }: RouteCall): Record<string, unknown> {
  if (body !== undefined && body !== null && !isRecord(body)) {
    throw new BelayError(refuse("invalid_input", "Send a JSON object.", { field: "" }));
  }
  const fields = { ...body };
  const given = isRecord(request.params) ? { ...request.params } : {};
  const key = request.headers["idempotency-key"];
  if (key !== undefined) given.idempotency_key = key;
  for (const [name, value] of Object.entries(given)) {
    if (fields[name] !== undefined && fields[name] !== value) {
      const message = `Conflicting values for ${name} in the path and the body. Send it once.`;
      throw new BelayError(refuse("invalid_input", message, { field: name }));
    }
    fields[name] = value;
  }
  return fields;
}

export function readFlag(name: string, value: unknown, otherwise = false): boolean {
  if (value === undefined || typeof value === "boolean") return value ?? otherwise;
  throw new BelayError(refuse("invalid_input", `${name}: must be true or false.`, { field: name }));
}

function once(key: string, value: unknown): string | undefined {
  if (value === undefined || typeof value === "string") return value;
  throw new BelayError(
    refuse("invalid_input", `${key} is given more than once. Send it once.`, { field: key }),
  );
}
