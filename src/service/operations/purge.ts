import { BelayError, type Refusal, refuse } from "../../contract/errors.ts";
import type { Output, Parsed } from "../../contract/operations.ts";
import { type FoundSession, findSession } from "../read/find-session.ts";
import { findRemains } from "../retention/find-remains.ts";
import { isMerged, purgeExpired } from "../retention/remove-sessions.ts";
import type { Caller, ServiceContext } from "../service-context.ts";

/** Purges a session that is in the trash, without waiting for the day on which it is due. */
export async function purge(
  context: ServiceContext,
  { id }: Parsed<"purge">,
  caller: Caller,
): Promise<Output<"purge">> {
  const found = await findSession(context, caller.owner, id);
  const refused = await refusePurge(context, found);
  if (refused) throw new BelayError(refused);
  const { stream } = found;
  const remains = await findRemains(context.store, caller.owner, [stream]);
  const isPurged = await purgeExpired(context, caller, stream, ({ deleted }) => deleted !== null);
  // It was restored, merged or purged meanwhile, and the next attempt says so.
  if (!isPurged) return purge(context, { id: stream.id }, caller);
  return { purged: [stream.key], ...remains };
}

async function refusePurge(
  { store }: ServiceContext,
  { stream, head }: FoundSession,
): Promise<Refusal | null> {
  const { key: session_id, owner, id, lease } = stream;
  if (!head.deleted) return notInTrash(session_id);
  if (lease?.live) {
    const message = `${session_id} is still run by ${lease.holder.name}. Try again when that process has ended.`;
    return refuse("session_held", message, { session_id });
  }
  if (!(await isMerged(store, owner, id))) return null;
  const message = `The turns of ${session_id} are part of a merged session. Purge that session first.`;
  return refuse("session_held", message, { session_id });
}

function notInTrash(session_id: string): Refusal {
  const message = `${session_id} is not in the trash. Delete it first, then purge it.`;
  return refuse("session_not_deleted", message, { session_id });
}
