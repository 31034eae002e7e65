import type { ServedTime } from "../../contract/head.ts";
import { countServed, isServedDue, type Uptime } from "../../core/retention-rules.ts";
import { isSystemHead } from "../../core/session/known-events.ts";
import { evolveSystem, listSystem, newSystemHead } from "../../core/system.ts";
import { loadStream } from "../../store/read-streams.ts";
import type { StoredStream, StreamStore } from "../../store/stream-store.ts";
import { originOf } from "../change-session.ts";
import type { Caller, ServiceContext } from "../service-context.ts";

/** One stream for all owners of a store: every deletion stores its value. */
const SERVED = { kind: "system", owner: "belay", key: "served" } as const;

/** The total time that servers of this store have run, as last stored. */
export async function readServed(store: StreamStore): Promise<number> {
  return servedOf(await loadStream(store, SERVED))?.total_ms ?? 0;
}

/** The last time a server recorded that it runs, with the machine and boot. */
export async function readLastServed(
  store: StreamStore,
): Promise<{ readonly at: number; readonly boot_id: string | null } | null> {
  const stream = await loadStream(store, SERVED);
  const served = servedOf(stream);
  if (!served || !isSystemHead(stream?.head)) return null;
  return { at: stream.head.updated_at, boot_id: served.boot_id };
}

/** The total time that servers of this store have run until now. Stores it from time to time. */
export async function countServedTime(
  context: ServiceContext,
  caller: Caller,
  uptime: Uptime,
): Promise<number> {
  const { store } = context;
  const last = servedOf(await loadStream(store, SERVED));
  const seen = countServed(last, uptime);
  if (!isServedDue(last, seen)) return seen;
  let total = seen;
  await store.transact({
    streams: [SERVED],
    decide: ({ streams: [stream] }) => {
      const before = servedOf(stream);
      total = countServed(before, uptime);
      if (!isServedDue(before, total)) return { appends: [] };
      const id = stream?.id ?? context.newId();
      const event = {
        type: "server.ran",
        data: { ...uptime, total_ms: total },
        seq: (stream?.seq ?? 0) + 1,
        at: context.now(),
        ...originOf(caller),
      } as const;
      const from = isSystemHead(stream?.head) ? stream.head : newSystemHead(id, SERVED.owner);
      const head = evolveSystem(from, event);
      const kept = { events: [event], head, rows: [], names: [], listing: listSystem(head) };
      return { appends: [{ id, ...(stream ? {} : { create: SERVED }), ...kept }] };
    },
  });
  return total;
}

function servedOf(stream: StoredStream | undefined): ServedTime | null {
  return (isSystemHead(stream?.head) && stream.head.served) || null;
}
