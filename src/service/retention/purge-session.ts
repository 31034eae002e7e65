import type { StoredStream } from "../../store/stream-store.ts";
import type { Caller, ServiceContext } from "../context.ts";
import { recordSystemFact } from "../record-system-fact.ts";

/** Takes a session away for good. Written down first: of a crash in between, only a purge that is still due remains. */
export async function purgeSession(
  context: ServiceContext,
  caller: Caller,
  session: StoredStream,
): Promise<void> {
  const data = { session_id: session.key, entity_id: session.id, events: session.seq };
  await recordSystemFact(context, caller, { type: "session.purged", data }, session.id);
  await context.store.purge(session.id, context.now());
}
