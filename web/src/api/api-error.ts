import type { ErrorCode } from "../../../src/contract/errors.ts";

/** What the server refused, in its own words. */
export class ApiError extends Error {
  readonly status: number;
  readonly code: ErrorCode;
  readonly details: Readonly<Record<string, unknown>>;

  constructor(status: number, body: ErrorBody) {
    super(body.message);
    this.name = "ApiError";
    this.status = status;
    this.code = body.error;
    this.details = body.details;
  }
}

export interface ErrorBody {
  readonly error: ErrorCode;
  readonly message: string;
  readonly details: Readonly<Record<string, unknown>>;
}

/** Nobody answered: the server is gone, or the network between. */
export class Unreachable extends Error {
  constructor(cause: unknown) {
    super("The server does not answer.", { cause });
    this.name = "Unreachable";
  }
}

export function isLoggedOut(error: unknown): boolean {
  return error instanceof ApiError && error.status === 401;
}
