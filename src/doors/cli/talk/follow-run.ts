import type { RunEvent } from "../../../contract/run-event.ts";

/** Reads events until they end or the reader stops. */
interface FollowedRun {
  /** Resolves when there are no more events; rejects if they cannot be read. */
  readonly ended: Promise<void>;
  stop(): void;
}

/** Listens from now on, so that no later event is missed. */
export function followRun(
  events: AsyncIterable<RunEvent>,
  onEvent: (event: RunEvent) => void,
): FollowedRun {
  const iterator = events[Symbol.asyncIterator]();
  let isStopped = false;
  const read = async (): Promise<void> => {
    for (;;) {
      const { done, value } = await iterator.next();
      if (done === true || isStopped) return;
      onEvent(value);
    }
  };
  return {
    ended: read(),
    stop() {
      if (isStopped) return;
      isStopped = true;
      // An iterator that waits for its next event only returns then, so this is not awaited.
      iterator.return?.().catch(() => {});
    },
  };
}
