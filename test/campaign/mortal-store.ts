import type { StreamStore } from "../../src/store/stream-store.ts";
import type { Beat } from "./outside.ts";

/**
 * A store whose user can die at each call: before it and, if the call changes something, after it, when all is stored
 * and nobody was told. Dying after a call that only reads equals dying before the next.
 */
export function mortalStore(store: StreamStore, beat: Beat): StreamStore {
  const reads = async <T>(call: () => Promise<T>): Promise<T> => {
    // Waits only if necessary: nothing may run between a beat and its call.
    const paused = beat();
    if (paused) await paused;
    return call();
  };
  const writes = async <T>(call: () => Promise<T>): Promise<T> => {
    const paused = beat();
    if (paused) await paused;
    const answer = await call();
    const after = beat();
    if (after) await after;
    return answer;
  };
  return {
    transact: (transaction) => writes(() => store.transact(transaction)),
    lease: (id, request) =>
      "renew" in request
        ? reads(() => store.lease(id, request))
        : writes(() => store.lease(id, request)),
    purge: (...asked) => writes(() => store.purge(...asked)),
    read: (...asked) => reads(() => store.read(...asked)),
    list: (query) => reads(() => store.list(query)),
    tally: (...asked) => reads(() => store.tally(...asked)),
    findByName: (...asked) => reads(() => store.findByName(...asked)),
    readFeed: (query) => reads(() => store.readFeed(query)),
    findInFeed: (sought) => reads(() => store.findInFeed(sought)),
    watch: (onChange, stream) => store.watch(onChange, stream),
    close: () => store.close(),
  };
}
