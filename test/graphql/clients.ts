import { createClient as createSseClient } from "graphql-sse";
import { type Client, createClient as createWsClient } from "graphql-ws";
import type { TestServer } from "../http/open-server.ts";

export const EVENTS = `subscription ($id: ID!, $after: Int, $cursor: String, $delta: DeltaPlaceInput) {
  agentSessionEvents(sessionId: $id, after: $after, cursor: $cursor, delta: $delta) {
    type data seq cursor delta { turnId item kind offset text } } }`;

export interface Place {
  readonly id: string;
  readonly after?: number | null;
  readonly cursor?: string | null;
  readonly delta?: { turnId: string; item: number; offset: number } | null;
}

/** The results of a subscription, and how to end it. */
export interface Subscription {
  /** Resolves with the reason when it has ended. */
  readonly ended: Promise<unknown>;
  cut(): void;
}

export interface Listener {
  next(answer: unknown): void;
}

/** A subscription of a real client, over either transport. */
export function listen(
  way: "ws" | "sse",
  { url }: Pick<TestServer, "url">,
  token: string,
  { id, after = null, cursor = null, delta = null }: Place,
  { next }: Listener,
): Subscription {
  const payload = { query: EVENTS, variables: { id, after, cursor, delta } };
  const ended = Promise.withResolvers<unknown>();
  const sink = {
    next,
    error: (error: unknown) => ended.resolve(error),
    complete: () => ended.resolve("complete"),
  };
  if (way === "sse") {
    const client = createSseClient({
      url: `${url}/graphql`,
      headers: { authorization: `Bearer ${token}` },
      retryAttempts: 0,
    });
    client.subscribe(payload, sink);
    return { ended: ended.promise, cut: () => client.dispose() };
  }
  const client = createSocketClient(url, { authorization: `Bearer ${token}` });
  client.subscribe(payload, sink);
  return { ended: ended.promise, cut: () => client.terminate() };
}

export function createSocketClient(
  url: string,
  connectionParams: Record<string, unknown> = {},
): Client {
  return createWsClient({
    url: `${url.replace(/^http/, "ws")}/graphql`,
    connectionParams,
    retryAttempts: 0,
    lazy: true,
  });
}
