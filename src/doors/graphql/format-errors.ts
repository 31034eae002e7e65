import { GraphQLError, type GraphQLFormattedError } from "graphql";
import { BelayError, ERRORS, type ErrorCode, type Refusal, refuse } from "../../contract/errors.ts";
import { InvalidQuery } from "./query-reader.ts";

/** Clients only learn that an unexpected error happened. */
const INTERNAL = refuse(
  "internal",
  "Internal error. Look up the x-trace-id of this response in the server's log.",
);

/** The result of one operation, as it is sent. */
export interface OperationResult {
  readonly data?: unknown;
  readonly errors?: readonly GraphQLFormattedError[];
}

/** The errors of a request that is refused as a whole. */
export function formatRefused(error: unknown, report: (error: unknown) => void): OperationResult {
  if (error instanceof InvalidQuery) return { errors: error.errors.map(formatInvalid) };
  return { errors: [withCode(refusalOf(error, report), {})] };
}

/** The HTTP status of an answer with only errors. */
export function statusOf({ errors = [] }: OperationResult): number {
  const code = errors[0]?.extensions?.code;
  const known = Object.entries(ERRORS).find(([name]) => name === code);
  return known ? known[1].http : ERRORS.internal.http;
}

/** An error of one operation or one of its fields; the other fields may have been answered. */
export function formatError(
  error: GraphQLError,
  report: (error: unknown) => void,
): GraphQLFormattedError {
  const { originalError: cause } = error;
  // Without a path nothing was started: a variable is wrong. With nodes of its own, the error is about an argument.
  const isMistaken = error.path === undefined || (cause instanceof GraphQLError && cause.nodes);
  if (isMistaken) return formatInvalid(error);
  return withCode(refusalOf(cause ?? error, report), error.toJSON());
}

function formatInvalid(error: GraphQLError): GraphQLFormattedError {
  return withCode(refuse("invalid_input", error.message), error.toJSON());
}

function refusalOf(error: unknown, report: (error: unknown) => void): Refusal {
  if (error instanceof BelayError && error.code !== "internal") return error.toJSON();
  report(error);
  return INTERNAL;
}

function withCode(
  { error: code, message, details }: Refusal,
  { locations, path }: Partial<GraphQLFormattedError>,
): GraphQLFormattedError & { readonly extensions: { readonly code: ErrorCode } } {
  return {
    message,
    ...(locations && { locations }),
    ...(path && { path }),
    extensions: { code, details },
  };
}
