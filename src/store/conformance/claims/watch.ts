import { expect } from "vitest";
import { loadStream } from "../../read-streams.ts";
import type { StreamStore } from "../../stream-store.ts";
import { begin, countTo, idOf, keep, write } from "../notebook.ts";
import { runWriter } from "../run-writer.ts";
import type { Suite } from "../suite.ts";

const [A, B] = [idOf(1), idOf(2)];
/** A store may call a watcher without a change, but rarely. */
const FEW = 4;

export function watch({ it, durable }: Suite): void {
  it("calls the watchers of a stream for its commits, of the same handle and of another one", async ({
    open,
  }) => {
    const [one, other] = [await open(), await open()];
    await keep(one, begin(A));
    for (const committing of [one, other, one, other]) {
      const { seq } = await keep(one, write(A));
      const { promise: hasRead, resolve: onRead } = Promise.withResolvers<void>();
      const reached = reach(one, A, seq + 1, onRead);
      await hasRead;
      await keep(committing, write(A));
      await reached;
    }
  });

  it("does not call the watchers of a stream for the commits to others", async ({ open }) => {
    const [one, other] = [await open(), await open()];
    for (const id of [A, B]) await keep(one, begin(id));
    const calls = countCalls(one, A);
    // A store may need a moment before it knows the changes of others.
    await keep(other, write(A));
    await calls.atLeast(1);
    await passCommits(one, other, 4);
    const before = calls.count;
    await passCommits(one, other, 20);
    expect(calls.count - before).toBeLessThanOrEqual(FEW);

    const reached = reach(one, A, 3);
    await keep(other, write(A));
    await reached;
    // The read may have found the commit before the call.
    await calls.atLeast(before + 1);
    calls.stop();
  });

  it("calls the watchers of a stream when it is purged", async ({ open }) => {
    const [one, other] = [await open(), await open()];
    const handles = [one, other];
    for (const [n, purging] of handles.entries()) {
      const id = idOf(n + 3);
      await keep(one, begin(id));
      const calls = countCalls(one, id);
      await keep(other, write(id));
      await calls.atLeast(1);
      const before = calls.count;
      await purging.purge(id, 1);
      await calls.atLeast(before + 1);
      calls.stop();
    }
  });

  it("calls the watchers of a stream that was not purged, because it had changed, for its next commits", async ({
    open,
  }) => {
    const [one, other] = [await open(), await open()];
    for (const id of [A, B]) await keep(one, begin(id));
    // A store may call all watchers when the first one starts.
    const { stop } = countCalls(one, B);
    const start = performance.now();
    for (const purging of [one, other, one, other]) {
      const { seq } = await keep(one, write(A));
      const reached = reach(one, A, seq + 1);
      await purging.purge(A, 1, seq - 1);
      // Calls because of the purge would come before these.
      await passCommits(one, other, 4);
      await keep(other, write(A));
      await reached;
    }
    // Not by the call after a minute, which every watcher gets.
    expect(performance.now() - start).toBeLessThan(30_000);
    stop();
  });

  it("hides no commit from a watcher that reads once after it has started", async ({ open }) => {
    const [one, other] = [await open(), await open()];
    await keep(one, begin(A));
    for (const n of countTo(30)) {
      const writing = keep(n % 2 === 0 ? one : other, write(A));
      await reach(one, A, n + 1);
      await writing;
    }
  });

  if (!durable) return;

  it("calls the watchers of a stream for commits of another process, and only those", async ({
    open,
    folder,
  }) => {
    const store = await open();
    for (const id of [A, B]) await keep(store, begin(id));
    const changed = countCalls(store, A);
    const unchanged = countCalls(store, B);
    const writer = runWriter(durable.writer, folder, [A]);
    try {
      await changed.atLeast(5);
      const before = { changed: changed.count, unchanged: unchanged.count };
      await changed.atLeast(before.changed + 20);
      expect(unchanged.count - before.unchanged).toBeLessThanOrEqual(FEW);
    } finally {
      await writer.kill();
    }
    const { seq = 0 } = (await loadStream(store, { id: A })) ?? {};
    const reached = reach(store, A, seq + 1);
    await keep(store, write(A));
    await reached;
  });
}

/** Commits to B from both handles, and waits until the first one has noticed each. */
async function passCommits(one: StreamStore, other: StreamStore, count: number): Promise<void> {
  const start = (await loadStream(one, { id: B }))?.seq ?? 0;
  for (const n of countTo(count)) {
    const reached = reach(one, B, start + n);
    await keep(n % 2 === 0 ? one : other, write(B));
    await reached;
  }
}

/**
 * Follows a stream up to a seq as followers do: starts to watch, reads, and reads again after each call, except if the
 * call passes a seq that it has.
 */
async function reach(
  store: StreamStore,
  id: string,
  seq: number,
  onRead: () => void = () => {},
): Promise<void> {
  let changed = Promise.withResolvers<void>();
  let read = 0;
  const look = (newest = Number.POSITIVE_INFINITY): void => {
    if (newest > read) changed.resolve();
  };
  const stop = store.watch(look, id);
  try {
    for (;;) {
      read = (await loadStream(store, { id }))?.seq ?? 0;
      onRead();
      if (read >= seq) return;
      await changed.promise;
      changed = Promise.withResolvers();
    }
  } finally {
    stop();
  }
}

function countCalls(store: StreamStore, id: string) {
  let check = (): void => {};
  const counted = {
    count: 0,
    stop: store.watch(() => {
      counted.count += 1;
      check();
    }, id),
    atLeast: (count: number) =>
      new Promise<void>((resolve) => {
        check = () => counted.count >= count && resolve();
        check();
      }),
  };
  return counted;
}
