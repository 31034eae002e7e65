import { BelayError, refuse } from "../contract/errors.ts";
import { identifyHolder } from "../process/process-identity.ts";
import { recordSystemFact, serverStream } from "../service/record-system-fact.ts";
import type { Caller, ServiceContext } from "../service/service-context.ts";
import { startLeaseRenewal } from "../service/start-lease-renewal.ts";
import { acquireLease } from "../store/leases.ts";
import { loadStream } from "../store/read-streams.ts";
import type { Lease, StoredStream, StreamStore } from "../store/stream-store.ts";

/** The owner of the servers' log, whatever owners are served: one lock per data folder. */
export const SERVERS = "local";

export function loadServer(store: StreamStore): Promise<StoredStream | undefined> {
  return loadStream(store, serverStream(SERVERS));
}

/** A running server, as it is recorded in the log. */
export interface ServedPlace {
  /** Records the server's address in the log. */
  started(url: string): Promise<void>;
  stopped(url: string): Promise<void>;
}

/**
 * Makes this process the one server of the data folder, or throws. The lease of the servers' log is the lock, so a
 * server that died is replaced.
 */
export async function serveAlone(
  context: ServiceContext,
  caller: Caller,
  describe: (holder: Lease["holder"]) => Promise<string>,
  onLost: () => void,
): Promise<ServedPlace> {
  const by = { ...caller, owner: SERVERS };
  await recordSystemFact(context, by, { type: "server.registered", data: {} }, "registered");
  const stream = await loadServer(context.store);
  if (!stream) throw new Error("the servers' log was written, but is missing");
  const holder = identifyHolder(`server (pid ${process.pid})`);
  const grant = await acquireLease(context.store, stream.id, holder);
  if (!grant.granted) {
    const { pid } = grant.held.holder;
    throw new BelayError(refuse("server_running", await describe(grant.held.holder), { pid }));
  }
  const lease = startLeaseRenewal(context.store, stream.id, grant, onLost);
  const note = (fact: Parameters<typeof recordSystemFact>[2]) =>
    recordSystemFact(context, by, fact, context.newId());
  return {
    started: (url) => note({ type: "server.started", data: { url, pid: process.pid } }),
    async stopped(url) {
      await note({ type: "server.stopped", data: { url } });
      await lease.release();
    },
  };
}
