import { GraphQLError, type GraphQLFormattedError } from "graphql";
import { BelayError, ERRORS, type ErrorCode, type Refusal, refuse } from "../../contract/errors.ts";
import { InvalidQuery } from "./query-reader.ts";

/** Of the unexpected nobody is told but that it happened. */
const INTERNAL = refuse(
  "internal",
  "Internal error. The server's log has the reason, under the x-trace-id of this answer.",
);

/** What came of one operation, as it goes out. */
export interface Told {
  readonly data?: unknown;
  readonly errors?: readonly GraphQLFormattedError[];
}

/** Why a request is not answered at all. */
export function formatRefused(error: unknown, report: (error: unknown) => void): Told {
  if (error instanceof InvalidQuery) return { errors: error.errors.map(formatInvalid) };
  return { errors: [withCode(refusalOf(error, report), {})] };
}

/** The status of an answer that is nothing but errors. */
export function statusOf({ errors = [] }: Told): number {
  const code = errors[0]?.extensions?.code;
  const known = Object.entries(ERRORS).find(([name]) => name === code);
  return known ? known[1].http : ERRORS.internal.http;
}

/** What went wrong with one operation, or with one of its fields: then the others may have been answered. */
export function formatError(
  error: GraphQLError,
  report: (error: unknown) => void,
): GraphQLFormattedError {
  const { originalError: cause } = error;
  // Without a path nothing was begun: a variable is wrong. With nodes of its own it is about an argument.
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
