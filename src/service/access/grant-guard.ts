import { type Refusal, refuse } from "../../contract/errors.ts";
import type { OperationName } from "../../contract/operations.ts";
import { isSessionHead, isSystemHead } from "../../core/session/known-events.ts";
import { EVERYONE, mayDo, roleOf } from "../../core/shares.ts";
import type { Loaded, StoredStream, StreamRef, Transaction } from "../../store/stream-store.ts";
import { personStream } from "../record-system-fact.ts";
import { type Grant, type GrantContext, newestShare, readShareOf } from "./read-grants.ts";

/** A check inside a transaction that reads these streams and rows besides its own. */
interface GrantGuard {
  /** The shared session is the first. */
  readonly streams: readonly StreamRef[];
  readonly reads: NonNullable<Transaction["reads"]>;
  refuse(loaded: Loaded): Refusal | null;
}

/** Checks a share in the transaction that uses it, so that one that was removed a moment before does not count. */
export function grantGuard(
  { now }: Pick<GrantContext, "now">,
  person: string,
  { stream: { id, owner, key } }: Grant,
  operation: OperationName,
): GrantGuard {
  const mayStill = ({ streams: [session, actor, sharer], rows }: Loaded): boolean => {
    if (!isSessionHead(session?.head) || session.head.deleted) return false;
    if (disabledAt(actor) !== null || (disabledAt(sharer) ?? null) !== null) return false;
    const role = roleOf(
      rows.map((shares) => readShareOf(shares, id)),
      now(),
    );
    return role !== null && mayDo(role, operation);
  };
  return {
    streams: [{ id }, personStream(person), personStream(owner)],
    reads: [person, EVERYONE].map((whom) => ({ stream: 0, query: newestShare(whom) })),
    refuse(loaded) {
      if (mayStill(loaded)) return null;
      const session_id = `${owner}/${key}`;
      const message = `${session_id} is no longer shared with you.`;
      return refuse("session_not_found", message, { id: session_id });
    },
  };
}

/** Undefined for an owner who is not on record. */
function disabledAt(stream: StoredStream | undefined): number | null | undefined {
  return isSystemHead(stream?.head) ? stream.head.person?.disabled_at : undefined;
}
