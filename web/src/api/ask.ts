import { ApiError, type ErrorBody, Unreachable } from "./api-error.ts";
import { credentials } from "./browser-token.ts";

export type Query = Readonly<Record<string, unknown>>;

export interface Asked {
  readonly query?: Query;
  readonly body?: unknown;
  readonly signal?: AbortSignal;
}

/** One request to the server that this page came from. Throws an ApiError or Unreachable. */
export async function ask(method: string, path: string, asked: Asked = {}) {
  const { query = {}, body, signal } = asked;
  const response = await fetch(`${path}${writeQuery(query)}`, {
    method,
    headers: {
      accept: "application/json",
      ...credentials(),
      ...(body === undefined ? {} : { "content-type": "application/json" }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    ...(signal && { signal }),
  }).catch((error: unknown) => {
    if (signal?.aborted) throw error;
    throw new Unreachable(error);
  });
  if (!response.ok) throw await refusalIn(response);
  const text = await response.text();
  return text === "" ? undefined : JSON.parse(text);
}

export async function refusalIn(response: Response): Promise<ApiError> {
  const body: ErrorBody = await response.json().catch(() => ({
    error: "internal",
    message: `The server answered ${response.status}.`,
    details: {},
  }));
  return new ApiError(response.status, body);
}

export function writeQuery(query: Query): string {
  const search = new URLSearchParams();
  for (const [key, value] of Object.entries(query)) {
    if (value === undefined) continue;
    for (const each of Array.isArray(value) ? value : [value]) search.append(key, String(each));
  }
  const text = search.toString();
  return text === "" ? "" : `?${text}`;
}
