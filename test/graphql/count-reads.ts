import type { StreamStore } from "../../src/store/stream-store.ts";

/** Counts every read of a store. */
export function countReads() {
  let reads = 0;
  const counting = <Asked extends readonly unknown[], Answer>(
    read: (...asked: Asked) => Promise<Answer>,
  ) => {
    return (...asked: Asked): Promise<Answer> => {
      reads += 1;
      return read(...asked);
    };
  };
  return {
    wrap: (store: StreamStore): StreamStore => ({
      ...store,
      read: counting(store.read),
      list: counting(store.list),
      tally: counting(store.tally),
      findByName: counting(store.findByName),
      readFeed: counting(store.readFeed),
    }),
    total: () => reads,
    reset: () => {
      reads = 0;
    },
  };
}
