import { STATUS_CODES } from "node:http";
import { BelayError, ERRORS, type Refusal, refuse } from "../../contract/errors.ts";
import { SECURITY_HEADERS } from "./security-headers.ts";

interface ErrorAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

/** The one place where a refusal becomes an HTTP answer. */
export function answerRefusal(refusal: Refusal): ErrorAnswer {
  const status = ERRORS[refusal.error].http;
  return { status, headers: headersOf(refusal, status), body: bodyOf(refusal) };
}

/** What went wrong, as the caller may know it: of the unexpected nothing but that it happened. */
export function refusalOf(error: unknown): Refusal {
  if (error instanceof BelayError && error.code !== "internal") return error.toJSON();
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  if (typeof code === "string" && Object.hasOwn(FRAMEWORK, code)) {
    const [name, message] = FRAMEWORK[code] ?? INTERNAL;
    return refuse(name, message);
  }
  return refuse(...INTERNAL);
}

const INTERNAL = [
  "internal",
  "something went wrong here: the server's log tells more, under this answer's x-trace-id",
] as const;

/** Refusals of the framework, in our words. */
const FRAMEWORK: Readonly<Record<string, readonly [Refusal["error"], string]>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: [
    "too_large",
    "the body is too large: 8 MiB are allowed, 1 MiB to webhooks, 4 KiB to log in and out",
  ],
  FST_ERR_CTP_INVALID_MEDIA_TYPE: ["wrong_media_type", "send the body as application/json"],
  FST_ERR_ROUTE_MISSING_CONTENT_TYPE: ["wrong_media_type", "send the body as application/json"],
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: ["invalid_input", "the body is not as long as announced"],
  FST_ERR_BAD_URL: ["invalid_input", "the path is not properly percent-encoded"],
  FST_ERR_MAX_PARAM_LENGTH: ["too_large", "the path is too long"],
  FST_ERR_NOT_FOUND: [
    "route_not_found",
    "there is no such path: GET /openapi.json tells what there is",
  ],
};

/** The same for a socket on which there is no request to answer. */
export function writeError(refusal: Refusal): string {
  const { status, headers, body } = answerRefusal(refusal);
  const text = JSON.stringify(body);
  const lines = Object.entries({
    ...SECURITY_HEADERS,
    ...headers,
    "content-type": "application/json; charset=utf-8",
    "content-length": String(Buffer.byteLength(text)),
    connection: "close",
  }).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join("")}\r\n${text}`;
}

function headersOf({ error, details }: Refusal, status: number): Record<string, string> {
  if (error === "not_authenticated") return { "www-authenticate": "Bearer" };
  if (error === "wrong_method" && Array.isArray(details.allowed)) {
    return { allow: details.allowed.join(", ") };
  }
  return status === 503 ? { "retry-after": "1" } : {};
}

function bodyOf({ error, message, details }: Refusal): unknown {
  // Those who submit observations know this shape, and no other.
  return error === "schema_validation_failed" ? { error, details } : { error, message, details };
}
