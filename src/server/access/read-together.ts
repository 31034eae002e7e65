import type { StreamPart, StreamRead, StreamStore } from "../../store/stream-store.ts";

/** More at once would keep the reads of others waiting. */
const MOST_READS = 200;

interface Asked {
  readonly reads: readonly StreamRead[];
  resolve(parts: (StreamPart | undefined)[]): void;
  reject(error: unknown): void;
}

/** Reads that start in the same round of the event loop share a read of the store. For reads of a few streams each. */
export function readTogether(store: Pick<StreamStore, "read">): Pick<StreamStore, "read"> {
  let waiting: Asked[] = [];

  async function readAll(asked: readonly Asked[]): Promise<void> {
    for (let from = 0; from < asked.length; from += MOST_READS) {
      await readSome(asked.slice(from, from + MOST_READS));
    }
  }

  /** If that fails, each is read alone: one damaged stream hides no others. */
  async function readSome(asked: readonly Asked[]): Promise<void> {
    try {
      const parts = await store.read(asked.flatMap(({ reads }) => reads));
      let from = 0;
      for (const { reads, resolve } of asked) {
        resolve(parts.slice(from, from + reads.length));
        from += reads.length;
      }
    } catch (error) {
      if (asked.length === 1) asked[0]?.reject(error);
      else for (const each of asked) await readSome([each]);
    }
  }

  return {
    read: (reads) =>
      new Promise((resolve, reject) => {
        if (waiting.length === 0) {
          setImmediate(() => {
            const asked = waiting;
            waiting = [];
            void readAll(asked);
          });
        }
        waiting.push({ reads, resolve, reject });
      }),
  };
}
