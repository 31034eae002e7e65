import { refuse } from "../../contract/errors.ts";
import type { OperationName } from "../../contract/operations.ts";
import { isSessionHead, isSystemHead } from "../../core/session/known-events.ts";
import { EVERYONE, mayDo, roleOf } from "../../core/shares.ts";
import type { Loaded, StoredStream, StreamStore } from "../../store/stream-store.ts";
import { personStream } from "../record-system-fact.ts";
import { narrowedStore } from "./narrowed-store.ts";
import { type Grant, type GrantContext, newestShare, readShareOf } from "./read-grants.ts";

/**
 * A store that contains only one shared session. The share is checked again in the transaction that changes the session, so
 * that a share that was taken back a moment before does not count.
 */
export function grantedStore(
  { store, now }: GrantContext,
  person: string,
  { stream: { id, owner, key } }: Grant,
  operation: OperationName,
): StreamStore {
  const mayStill = ({ streams: [session, actor, sharer], rows }: Loaded): boolean => {
    if (!isSessionHead(session?.head) || session.head.deleted) return false;
    if (disabledAt(actor) !== null || (disabledAt(sharer) ?? null) !== null) return false;
    const role = roleOf(
      rows.map((shares) => readShareOf(shares, id)),
      now(),
    );
    return role !== null && mayDo(role, operation);
  };
  return narrowedStore(store, {
    isOwn: (stream) => stream?.id === id,
    judge: (verdict) => {
      const makes = "appends" in verdict && verdict.appends.some(({ create }) => isSession(create));
      const message = "You cannot create sessions for other people.";
      return makes ? { refused: refuse("not_allowed", message) } : verdict;
    },
    tally: async () => [],
    guard: {
      streams: [{ id }, personStream(person), personStream(owner)],
      reads: [person, EVERYONE].map((whom) => ({ stream: 0, query: newestShare(whom) })),
      refuse(loaded) {
        if (mayStill(loaded)) return null;
        const session_id = `${owner}/${key}`;
        const message = `${session_id} is no longer shared with you.`;
        return refuse("session_not_found", message, { id: session_id });
      },
    },
  });
}

/** Undefined for an owner who is not on record. */
function disabledAt(stream: StoredStream | undefined): number | null | undefined {
  return isSystemHead(stream?.head) ? stream.head.person?.disabled_at : undefined;
}

function isSession(create: { readonly kind: string } | undefined): boolean {
  return create?.kind === "session";
}
