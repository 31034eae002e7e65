import type { RunEvent } from "../../../contract/run-event.ts";

/** Reads events until they end or nobody wants more. */
interface FollowedRun {
  /** Resolves when there are no more; rejects when they cannot be read. */
  readonly ended: Promise<void>;
  stop(): void;
}

/** Listens from now on: what is sent afterwards is not missed. */
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
      // One that waits for its next event answers this only then, so nobody waits for it.
      iterator.return?.().catch(() => {});
    },
  };
}
