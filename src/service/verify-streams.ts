import { BelayError } from "../contract/errors.ts";
import type { SessionHead, SystemHead, TaskHead } from "../contract/head.ts";
import type { StreamKind } from "../contract/vocabulary.ts";
import { deepEqual } from "../core/deep-equal.ts";
import { evolveSession } from "../core/evolve-session.ts";
import { indexSession } from "../core/index-session.ts";
import {
  isSessionEvent,
  isSessionHead,
  isSystemEvent,
  isSystemHead,
  isTaskEvent,
  isTaskHead,
} from "../core/known-events.ts";
import { ReplayedRows } from "../core/replayed-rows.ts";
import { evolveSystem, newSystemHead } from "../core/system.ts";
import { evolveTask } from "../core/task.ts";
import type { Finding } from "../store/store-care.ts";
import type { StoredStream, StreamStore } from "../store/stream-store.ts";

const PAGE = 500;

/** Folds every stream anew and compares what comes out with what readers are shown. */
export async function* verifyStreams(
  store: StreamStore,
  onStream: (done: number) => void = () => {},
): AsyncGenerator<Finding> {
  let done = 0;
  for (const kind of ["session", "task", "system"] as const) {
    for await (const stream of everyStream(store, kind)) {
      if ("what" in stream) yield stream;
      else yield* verifyStream(store, stream);
      onStream(++done);
    }
  }
}

async function* everyStream(
  store: StreamStore,
  kind: StreamKind,
): AsyncGenerator<StoredStream | Finding> {
  let after: string | null | undefined;
  while (after !== null) {
    const page = await store.list({
      kind,
      owner: null,
      filter: {},
      limit: PAGE,
      ...(after !== undefined && { after }),
    });
    yield* page.streams;
    for (const { id, key } of page.damaged) yield damage(id, null, `${kind} ${key} cannot be read`);
    after = page.next;
  }
}

async function* verifyStream(store: StreamStore, stream: StoredStream): AsyncGenerator<Finding> {
  try {
    const stored = await readStoredHeads(store, stream);
    const rows = new ReplayedRows();
    let session: SessionHead | null = null;
    let other: TaskHead | SystemHead | null = null;
    for (let after = 0; after < stream.seq; ) {
      const events = await store.readEvents(stream.id, { after, limit: PAGE });
      if (events.length === 0) {
        yield damage(stream.id, after + 1, "the log ends before its head says so");
        return;
      }
      for (const event of events) {
        if (isSessionEvent(event)) {
          rows.add(indexSession(event, session, rows.knownFor(event)).rows);
          session = evolveSession(session, event);
        } else if (isTaskEvent(event)) {
          other = evolveTask(isTaskHead(other) ? other : null, event);
        } else if (isSystemEvent(event)) {
          const before = isSystemHead(other) ? other : newSystemHead(stream.id, stream.owner);
          other = evolveSystem(before, event);
        } else {
          yield damage(stream.id, event.seq, `event of unknown kind ${event.type}`);
          return;
        }
        const expected = stored.get(event.seq);
        if (expected !== undefined && !agrees(expected, session ?? other)) {
          yield damage(stream.id, event.seq, "a stored head is not what its log folds to");
        }
      }
      after += events.length;
    }
    if (!agrees(stream.head, session ?? other)) {
      yield damage(stream.id, stream.seq, "the head is not what its log folds to");
    }
    for (const kind of rows.kinds()) {
      const found = await store.readRows(stream.id, { kind });
      if (!rows.agrees(kind, found)) {
        yield damage(stream.id, null, `the index of ${kind}s is not what the log says`);
      }
    }
  } catch (error) {
    if (!(error instanceof BelayError)) throw error;
    yield damage(stream.id, null, error.message);
  }
}

/** Heads that an earlier version wrote do not say how the last turn ended. */
function agrees(stored: unknown, folded: SessionHead | TaskHead | SystemHead | null): boolean {
  if (deepEqual(stored, folded)) return true;
  if (!isSessionHead(stored) || !isSessionHead(folded) || "last_turn" in stored) return false;
  const { last_turn: _, ...earlier } = folded;
  return deepEqual(stored, earlier);
}

async function readStoredHeads(
  store: StreamStore,
  stream: StoredStream,
): Promise<ReadonlyMap<number, unknown>> {
  const heads = new Map<number, unknown>();
  for (let seq = stream.seq; seq > 0; ) {
    const found = await store.loadHeadBefore(stream.id, seq);
    if (!found) break;
    heads.set(found.seq, found.head);
    seq = found.seq - 1;
  }
  return heads;
}

function damage(stream: string, seq: number | null, what: string): Finding {
  return { kind: "damage", stream, seq, what };
}
