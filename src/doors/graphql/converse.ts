import { isRecord } from "../../contract/is-record.ts";
import type { Caller } from "../../service/service-context.ts";
import type { GraphqlDoor } from "./graphql-door.ts";

/** The client at the other end of a connection that carries texts both ways. */
export interface Peer {
  /** Set if the connection itself was authenticated; null if the first message must do that. */
  readonly caller: Caller | null;
  /** Authenticates by an `Authorization` value; null if it is invalid. */
  enter(authorization: unknown): Promise<Caller | null>;
  /** False once the client's token was revoked. */
  stays(): Promise<boolean>;
  /** The parsed JSON messages, until the connection ends. */
  readonly messages: AsyncIterable<unknown>;
  /** Resolves when the client has received it, or the connection is gone. */
  send(text: string): Promise<void>;
  close(code: number, reason: string): void;
  /** Aborted when the connection must end. */
  readonly signal: AbortSignal;
}

/** How long a client may take to authenticate. */
const INIT_MS = 3_000;
/** The most operations on one connection at a time. */
const MOST_OPERATIONS = 100;

/** GraphQL over WebSocket, with the protocol of graphql-ws. */
export async function converse(peer: Peer, answer: GraphqlDoor["answer"]): Promise<void> {
  const open = new Map<string, AbortController>();
  const late = setTimeout(() => peer.close(4408, "Connection initialisation timeout"), INIT_MS);
  let caller: Caller | null = null;
  let begun = false;
  const say = (message: object): Promise<void> => peer.send(JSON.stringify(message));

  const operate = async (id: string, payload: unknown, by: Caller): Promise<void> => {
    const ended = new AbortController();
    open.set(id, ended);
    const signal = AbortSignal.any([peer.signal, ended.signal]);
    const answered = await answer(payload, by, { signal }, true);
    if ("told" in answered) {
      open.delete(id);
      if (!signal.aborted) await say({ id, type: "error", payload: answered.told.errors });
      return;
    }
    for await (const told of answered.stream) {
      if (signal.aborted) break;
      await say({ id, type: "next", payload: told });
    }
    // The client completed it, and may have started another operation with the same id.
    if (open.get(id) !== ended) return;
    open.delete(id);
    if (!peer.signal.aborted) await say({ id, type: "complete" });
  };

  try {
    for await (const said of peer.messages) {
      const message = readMessage(said);
      if (!message) return peer.close(4400, "Invalid message");
      const { type, id, payload } = message;
      switch (type) {
        case "connection_init":
          if (begun) return peer.close(4429, "Too many initialisation requests");
          begun = true;
          caller = peer.caller ?? (await peer.enter(authorizationOf(payload)));
          if (!caller) return peer.close(4403, "Forbidden");
          clearTimeout(late);
          await say({ type: "connection_ack" });
          break;
        case "ping":
          await say({ type: "pong", ...(payload !== undefined && { payload }) });
          break;
        case "pong":
          break;
        case "subscribe":
          if (!caller) return peer.close(4401, "Unauthorized");
          if (id === null) return peer.close(4400, "Invalid message");
          if (open.has(id)) return peer.close(4409, "Subscriber for this id already exists");
          if (open.size >= MOST_OPERATIONS) return peer.close(4429, "Too many operations");
          // A revoked token does nothing more, even while the connection is open.
          if (!(await peer.stays())) return peer.close(4403, "Forbidden");
          void operate(id, payload, caller);
          break;
        case "complete":
          open.get(id ?? "")?.abort();
          open.delete(id ?? "");
          break;
        default:
          return peer.close(4400, "Invalid message");
      }
    }
  } finally {
    clearTimeout(late);
    for (const ended of open.values()) ended.abort();
  }
}

function readMessage(said: unknown) {
  if (!isRecord(said) || typeof said.type !== "string") return null;
  const { type, id, payload } = said;
  return { type, id: typeof id === "string" && id !== "" ? id : null, payload };
}

function authorizationOf(payload: unknown): unknown {
  return isRecord(payload) ? (payload.authorization ?? payload.Authorization) : undefined;
}
