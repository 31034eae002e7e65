import { createClient as createSseClient } from "graphql-sse";
import { type Client, createClient as createWsClient } from "graphql-ws";
import type { TestServer } from "../http/open-server.ts";

export const EVENTS = `subscription ($id: ID!, $after: Int, $delta: DeltaPlaceInput) {
  agentSessionEvents(sessionId: $id, after: $after, delta: $delta) {
    type data seq delta { turnId item kind offset text } } }`;

export interface Place {
  readonly id: string;
  readonly after?: number | null;
  readonly delta?: { turnId: string; item: number; offset: number } | null;
}

/** What a subscription gives, and how it is ended. */
export interface Subscription {
  /** Resolves when it has ended, with what ended it. */
  readonly ended: Promise<unknown>;
  cut(): void;
}

export interface Listener {
  next(answer: unknown): void;
}

/** A subscription of a real client of its own, over either way. */
export function listen(
  way: "ws" | "sse",
  { url }: Pick<TestServer, "url">,
  token: string,
  { id, after = null, delta = null }: Place,
  { next }: Listener,
): Subscription {
  const payload = { query: EVENTS, variables: { id, after, delta } };
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
