import { BelayError } from "../contract/errors.ts";
import type { SessionHead, SystemHead, TaskHead } from "../contract/head.ts";
import { LIMITS } from "../contract/limits.ts";
import type { StoredRow } from "../contract/stream.ts";
import type { StreamKind } from "../contract/vocabulary.ts";
import { deepEqual } from "../core/deep-equal.ts";
import { evolveSession } from "../core/session/evolve-session.ts";
import { indexSession } from "../core/session/index-session.ts";
import {
  isSessionEvent,
  isSessionHead,
  isSystemEvent,
  isSystemHead,
  isTaskEvent,
  isTaskHead,
} from "../core/session/known-events.ts";
import { needsRows, ReplayedRows } from "../core/session/replayed-rows.ts";
import { evolveSystem, newSystemHead } from "../core/system.ts";
import { evolveTask } from "../core/task.ts";
import {
  listPages,
  loadHeadBefore,
  loadStream,
  readEvents,
  readRows,
} from "../store/read-streams.ts";
import type { Finding } from "../store/store-care.ts";
import type { StoredStream, StreamStore } from "../store/stream-store.ts";
import { readHeadAt } from "./read/read-head-at.ts";

const PAGE = 500;
/** A database on another machine answers several readers at once. */
const AT_ONCE = 8;

/** Folds every stream again and compares the result with the stored state. */
export async function* verifyStreams(
  store: StreamStore,
  onStream: (done: number) => void = () => {},
): AsyncGenerator<Finding> {
  let done = 0;
  const verified = new Map<string, number>();
  const running: Promise<Finding[]>[] = [];
  for (const kind of ["session", "task", "system"] as const) {
    for await (const stream of everyStream(store, kind)) {
      const findings =
        "what" in stream
          ? Promise.resolve([stream])
          : collect(verifyStream(store, stream, () => findStart(store, stream, verified)));
      // It may fail before its turn to be awaited.
      findings.catch(() => undefined);
      running.push(findings);
      if (running.length < AT_ONCE) continue;
      yield* (await running.shift()) ?? [];
      onStream(++done);
    }
  }
  for (const findings of running) {
    yield* await findings;
    onStream(++done);
  }
}

async function collect(findings: AsyncGenerator<Finding>): Promise<Finding[]> {
  const all: Finding[] = [];
  for await (const finding of findings) all.push(finding);
  return all;
}

async function* everyStream(
  store: StreamStore,
  kind: StreamKind,
): AsyncGenerator<StoredStream | Finding> {
  for await (const { streams, damaged } of listPages(store, { kind, owner: null, filter: {} })) {
    yield* streams;
    for (const { id, key } of damaged) yield damage(id, null, `${kind} ${key} cannot be read`);
  }
}

/** The start of a stream's fold: its first event, or the fork point if the rest is another stream's. */
interface Start {
  readonly seq: number;
  readonly head: SessionHead | null;
}
const BEGINNING: Start = { seq: 0, head: null };

async function* verifyStream(
  store: StreamStore,
  stream: StoredStream,
  find: () => Promise<Start>,
): AsyncGenerator<Finding> {
  try {
    const start = await find();
    const stored = await readStoredHeads(store, stream, start.seq);
    const rows = new ReplayedRows();
    let session = start.head;
    let other: TaskHead | SystemHead | null = null;
    for (let after = start.seq; after < stream.seq; ) {
      const events = await readEvents(store, stream.id, { after, limit: PAGE });
      if (events.length === 0) {
        yield damage(stream.id, after + 1, "the log ends before its head says so");
        return;
      }
      for (const event of events) {
        if (isSessionEvent(event)) {
          if (start.seq > 0 && needsRows(event)) {
            yield* verifyStream(store, stream, async () => BEGINNING);
            return;
          }
          const indexed = indexSession(event, session, rows.knownFor(event));
          if (indexed.opens) rows.open(indexed.opens, event);
          rows.add(indexed.rows);
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
      await addInherited(store, stream.id, kind, start.seq, rows);
      const found = await readOwnRows(store, stream.id, kind, start.seq, rows);
      if (!rows.agrees(kind, found)) {
        yield damage(stream.id, null, `the index of ${kind}s is not what the log says`);
      }
    }
  } catch (error) {
    if (!(error instanceof BelayError)) throw error;
    yield damage(stream.id, null, error.message);
  }
}

/**
 * A fork's own part starts after its fork point. The events before are verified with its parent, or with the first fork
 * of a removed parent. So the cost depends on the stored events, however many forks share them.
 */
async function findStart(
  store: StreamStore,
  stream: StoredStream,
  verified: Map<string, number>,
): Promise<Start> {
  const parent = isSessionHead(stream.head) ? stream.head.parent : null;
  if (!parent) return BEGINNING;
  const { entity_id, seq } = parent;
  const isVerified = (verified.get(entity_id) ?? 0) >= seq;
  if (!isVerified && (await loadStream(store, { id: entity_id }))?.kind !== "session") {
    verified.set(entity_id, seq);
    return BEGINNING;
  }
  return { seq, head: await readHeadAt(store, stream.id, seq) };
}

/** The earlier state of inherited items that the fork's own events patched. */
async function addInherited(
  store: StreamStore,
  id: string,
  kind: string,
  at: number,
  rows: ReplayedRows,
): Promise<void> {
  for (const { place, nth } of rows.of(kind)) {
    if (place > at) return;
    const [before] = (await readRows(store, id, { kind, at, after: place - 1, limit: 1 })).filter(
      (row) => row.place === place && row.nth === nth,
    );
    if (before) rows.addBefore(kind, rows.toCompared(kind, before));
  }
}

/** The stored items that a stream's own events opened or patched. */
async function readOwnRows(
  store: StreamStore,
  id: string,
  kind: string,
  after: number,
  rows: ReplayedRows,
): Promise<StoredRow[]> {
  const inherited: StoredRow[] = [];
  for (const { place, nth } of rows.of(kind)) {
    if (place > after) break;
    const found = await readRows(store, id, { kind, after: place - 1, limit: 1 });
    inherited.push(...found.filter((row) => row.place === place && row.nth === nth));
  }
  const own: StoredRow[] = [];
  for (let last = after; ; ) {
    const query = { kind, after: last, limit: PAGE, bytes: LIMITS.PAGE_BYTES };
    const page = await readRows(store, id, query);
    const place = page.at(-1)?.place;
    if (place === undefined) break;
    own.push(...page.map((row) => rows.toCompared(kind, row)));
    last = place;
  }
  return [...inherited.map((row) => rows.toCompared(kind, row)), ...own];
}

/** Heads of an earlier version do not contain the outcome of the last turn. */
function agrees(stored: unknown, folded: SessionHead | TaskHead | SystemHead | null): boolean {
  if (deepEqual(stored, folded)) return true;
  if (!isSessionHead(stored) || !isSessionHead(folded) || "last_turn" in stored) return false;
  const { last_turn: _, ...earlier } = folded;
  return deepEqual(stored, earlier);
}

async function readStoredHeads(
  store: StreamStore,
  stream: StoredStream,
  after: number,
): Promise<ReadonlyMap<number, unknown>> {
  const heads = new Map<number, unknown>();
  for (let seq = stream.seq; seq > 0; ) {
    const found = await loadHeadBefore(store, stream.id, seq);
    if (!found || found.seq <= after) break;
    heads.set(found.seq, found.head);
    seq = found.seq - 1;
  }
  return heads;
}

function damage(stream: string, seq: number | null, what: string): Finding {
  return { kind: "damage", stream, seq, what };
}
