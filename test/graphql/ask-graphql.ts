import { isRecord } from "../../src/contract/is-record.ts";
import type { TestServer } from "../http/open-server.ts";

export interface Answered {
  readonly status: number;
  readonly data: Readonly<Record<string, unknown>>;
  readonly errors: readonly GraphqlError[];
}

export interface GraphqlError {
  readonly message: string;
  readonly code: unknown;
  readonly details: unknown;
  readonly path: unknown;
}

/** One request, by default with ann's write token. */
export async function askGraphql(
  server: Pick<TestServer, "ask">,
  query: string,
  variables: Readonly<Record<string, unknown>> = {},
  token?: string | null,
): Promise<Answered> {
  const body = { query, variables };
  const options = token === undefined ? { body } : { body, token };
  const { status, json } = await server.ask("POST", "/graphql", options);
  return { status, ...readAnswer(json) };
}

export function readAnswer(json: unknown): Omit<Answered, "status"> {
  const { data, errors } = isRecord(json) ? json : {};
  return {
    data: isRecord(data) ? data : {},
    errors: Array.isArray(errors) ? errors.map(readError) : [],
  };
}

export function readError(error: unknown): GraphqlError {
  const { message, extensions, path } = isRecord(error) ? error : {};
  const { code, details } = isRecord(extensions) ? extensions : {};
  return { message: String(message), code, details, path };
}
