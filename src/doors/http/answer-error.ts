import { STATUS_CODES } from "node:http";
import { BelayError, ERRORS, type Refusal, refuse } from "../../contract/errors.ts";
import { messageFor } from "../../service/message-for.ts";
import { SECURITY_HEADERS } from "./security-headers.ts";

interface ErrorAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

/** The one place where a refusal becomes an HTTP answer. The page shows messages to people, who do not call paths. */
export function answerRefusal(refusal: Refusal, isPage = false): ErrorAnswer {
  const status = ERRORS[refusal.error].http;
  const body = isPage ? refusal : bodyOf(refusal);
  return { status, headers: headersOf(refusal, status), body };
}

/** The refusal that the caller sees. An unexpected error is only reported as internal. */
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
  "Internal error. Look up the x-trace-id of this response in the server's log.",
] as const;

/** Refusals of the framework, in our words. */
const FRAMEWORK: Readonly<Record<string, readonly [Refusal["error"], string]>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: [
    "too_large",
    "The body is too large. 8 MiB are allowed; for webhooks 1 MiB, for logging in and out 4 KiB.",
  ],
  FST_ERR_CTP_INVALID_MEDIA_TYPE: ["wrong_media_type", "Send the body as application/json."],
  FST_ERR_ROUTE_MISSING_CONTENT_TYPE: ["wrong_media_type", "Send the body as application/json."],
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: [
    "invalid_input",
    "The body does not have the length that its header says.",
  ],
  FST_ERR_BAD_URL: ["invalid_input", "The path is not properly percent-encoded."],
  FST_ERR_MAX_PARAM_LENGTH: ["too_large", "The path is too long."],
  FST_ERR_NOT_FOUND: ["route_not_found", "Path not found. GET /openapi.json lists all paths."],
};

/** The same for a socket without a request to answer. */
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
  if (error === "too_many_requests") return { "retry-after": String(details.retry_after ?? 1) };
  return status === 503 ? { "retry-after": "1" } : {};
}

function bodyOf(refusal: Refusal): unknown {
  const { error, details } = refusal;
  // Submitters of observations know this exact shape.
  return error === "schema_validation_failed"
    ? { error, details }
    : { ...refusal, message: messageFor("http", refusal) };
}
