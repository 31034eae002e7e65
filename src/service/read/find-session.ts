import type { Refusal } from "../../contract/errors.ts";
import { BelayError, refuse } from "../../contract/errors.ts";
import type { SessionHead } from "../../contract/head.ts";
import { isSessionHead } from "../../core/session/known-events.ts";
import { loadStream } from "../../store/read-streams.ts";
import type { StoredStream } from "../../store/stream-store.ts";
import type { ServiceContext } from "../service-context.ts";

export interface FoundSession {
  readonly stream: StoredStream;
  readonly head: SessionHead;
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

export function isEntityId(id: string): boolean {
  return UUID.test(id);
}

/** Null if the id is not the entity id of a session of this owner. */
export async function loadEntity(
  { store }: ServiceContext,
  owner: string,
  id: string,
): Promise<StoredStream | null> {
  const entity = isEntityId(id) ? await loadStream(store, { id }) : undefined;
  return entity?.kind === "session" && entity.owner === owner ? entity : null;
}

/**
 * Finds an owner's session by its entity id, its id or, unless the operation closes something, a unique prefix of its
 * id. The entity id is tried first, so that a session with the same name cannot replace another.
 */
export async function findSession(
  context: ServiceContext,
  owner: string,
  id: string,
): Promise<FoundSession> {
  const { store } = context;
  const entity = isEntityId(id) ? await loadEntity(context, owner, id) : null;
  const exact = entity ?? (await loadStream(store, { kind: "session", owner, key: id }));
  if (exact) return read(exact);
  const { streams } = await store.list({
    kind: "session",
    owner,
    filter: { key_prefix: id },
    limit: 6,
  });
  const [only, second] = streams;
  if (!only) throw new BelayError(sessionNotFound(id));
  if (second) {
    throw new BelayError(
      refuse(
        "ambiguous_id",
        `Ambiguous session id ${id}. Use a whole id; candidates: ${candidates(streams)}`,
        {
          id,
          matches: streams.map((stream) => stream.key),
        },
      ),
    );
  }
  if (context.wholeIds) {
    const message = `Session ${id} not found. Use a whole id. Did you mean ${only.key}?`;
    throw new BelayError(refuse("session_not_found", message, { id, matches: [only.key] }));
  }
  return read(only);
}

const NAMED = 5;

function candidates(streams: readonly StoredStream[]): string {
  const named = streams.slice(0, NAMED).map(({ key }) => key);
  return `${named.join(", ")}${streams.length > NAMED ? " and more" : ""}`;
}

export function sessionNotFound(id: string): Refusal {
  return refuse("session_not_found", `Session ${id} not found.`, {
    id,
  });
}

function read(stream: StoredStream): FoundSession {
  if (isSessionHead(stream.head)) return { stream, head: stream.head };
  throw new BelayError(cannotRead(stream));
}

export function cannotRead({ key: session_id }: StoredStream): Refusal {
  const message = `Session ${session_id} cannot be read. Run: belay verify`;
  return refuse("storage_damaged", message, { session_id });
}
