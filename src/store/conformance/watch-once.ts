import type { StreamStore } from "../stream-store.ts";

interface Watch {
  readonly called: Promise<void>;
  stop(): void;
}

/** Stops watching at its first call. */
export function watchOnce(store: StreamStore): Watch {
  const { promise, resolve } = Promise.withResolvers<void>();
  const stop = store.watch(() => {
    stop();
    resolve();
  });
  return { called: promise, stop };
}
