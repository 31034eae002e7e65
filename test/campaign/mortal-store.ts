import type { StreamStore } from "../../src/store/stream-store.ts";
import type { Beat } from "./outside.ts";

/**
 * A store whose user can die at each call: before it, and, where the call leaves something behind, after it, when all is
 * kept and nobody was told. To die after a call that only reads is to die before the next.
 */
export function mortalStore(store: StreamStore, beat: Beat): StreamStore {
  const reads = async <T>(call: () => Promise<T>): Promise<T> => {
    // Waits only where it must: between a beat that lets pass and its call nothing else may run.
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
    acquireLease: (...asked) => writes(() => store.acquireLease(...asked)),
    releaseLease: (...asked) => writes(() => store.releaseLease(...asked)),
    purge: (...asked) => writes(() => store.purge(...asked)),
    load: (ref) => reads(() => store.load(ref)),
    loadHeadBefore: (...asked) => reads(() => store.loadHeadBefore(...asked)),
    readEvents: (...asked) => reads(() => store.readEvents(...asked)),
    readRows: (...asked) => reads(() => store.readRows(...asked)),
    readMany: (asked) => reads(() => store.readMany(asked)),
    list: (query) => reads(() => store.list(query)),
    tally: (...asked) => reads(() => store.tally(...asked)),
    findByName: (...asked) => reads(() => store.findByName(...asked)),
    readFeed: (...asked) => reads(() => store.readFeed(...asked)),
    feedEnd: () => reads(() => store.feedEnd()),
    renewLease: (...asked) => reads(() => store.renewLease(...asked)),
    watch: (onChange) => store.watch(onChange),
    close: () => store.close(),
  };
}
