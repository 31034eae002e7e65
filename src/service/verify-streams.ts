import { BelayError } from "../contract/errors.ts";
import type { SessionHead, SystemHead, TaskHead } from "../contract/head.ts";
import type { Listing, StoredRow } from "../contract/stream.ts";
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
import { listSession, listTask } from "../core/session/list-session.ts";
import { needsRows, ReplayedRows } from "../core/session/replayed-rows.ts";
import { evolveSystem, listSystem, newSystemHead } from "../core/system.ts";
import { evolveTask } from "../core/task.ts";
import {
  listPages,
  loadHeadBefore,
  loadStream,
  type MergedPart,
  readParts,
} from "../store/read-streams.ts";
import type { Finding, StoreCare } from "../store/store-care.ts";
import type { StoredHead, StoredStream, StreamStore } from "../store/stream-store.ts";
import { isPurged } from "./read/is-purged.ts";
import { readHeadAt } from "./read/read-head-at.ts";

type VerifiedStore = StreamStore & Pick<Partial<StoreCare>, "inspectIndex">;

const PAGE = 500;
/** A database on another machine answers several readers at once. */
const AT_ONCE = 8;

/** Folds every stream again and compares the result with the stored state. */
export async function* verifyStreams(
  store: VerifiedStore,
  onStream: (done: number) => void = () => {},
): AsyncGenerator<Finding> {
  let done = 0;
  const verified = new Map<string, number>();
  const running: Promise<Finding[]>[] = [];
  for (const kind of ["session", "task", "system"] as const) {
    for await (const stream of everyStream(store, kind)) {
      const findings =
        "what" in stream ? Promise.resolve([stream]) : verifyUnlessPurged(store, stream, verified);
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

/** A stream that is purged meanwhile loses its log, and is not damaged. */
async function verifyUnlessPurged(
  store: VerifiedStore,
  stream: StoredStream,
  verified: Map<string, number>,
): Promise<Finding[]> {
  const all: Finding[] = [];
  const findings = verifyStream(store, stream, () => findStart(store, stream, verified));
  for await (const finding of findings) all.push(finding);
  return all.length > 0 && (await isPurged(store, stream)) ? [] : all;
}

async function* everyStream(
  store: VerifiedStore,
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
  store: VerifiedStore,
  stream: StoredStream,
  find: () => Promise<Start>,
): AsyncGenerator<Finding> {
  try {
    const start = await find();
    const rows = new ReplayedRows();
    const names = new Set<string>();
    const found = new Map<string, StoredRow[]>(rows.kinds().map((kind) => [kind, []]));
    let stored: ReadonlyMap<number, unknown> | null = null;
    let session = start.head;
    let other: TaskHead | SystemHead | null = null;
    for (let after = start.seq; after < stream.seq; ) {
      const part = await readPage(store, stream, after, rows.kinds(), !stored);
      const events = part?.events[0] ?? [];
      if (events.length === 0) {
        yield damage(stream.id, after + 1, "the log ends before the seq of its head");
        return;
      }
      stored ??= await readStoredHeads(store, stream, start.seq, part?.heads ?? []);
      for (const event of events) {
        if (isSessionEvent(event)) {
          if (start.seq > 0 && needsRows(event)) {
            yield* verifyStream(store, stream, async () => BEGINNING);
            return;
          }
          const indexed = indexSession(event, session, rows.knownFor(event));
          if (indexed.opens) rows.open(indexed.opens, event);
          rows.add(indexed.rows);
          // The names of an inherited event lead to the stream that wrote it.
          if (event.writer === stream.id) for (const name of indexed.names) names.add(name);
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
          yield damage(stream.id, event.seq, "a stored head does not match the log");
        }
      }
      for (const [n, kind] of rows.kinds().entries()) {
        found.get(kind)?.push(...(part?.rows[n] ?? []).map((row) => rows.toCompared(kind, row)));
      }
      after += events.length;
    }
    if (!agrees(stream.head, session ?? other)) {
      yield damage(stream.id, stream.seq, "the head does not match the log");
    }
    const listing = listingOf(session ?? other);
    if (listing && store.inspectIndex) {
      const index = {
        id: stream.id,
        owner: stream.owner,
        seq: stream.seq,
        listing,
        names: [...names],
      };
      for (const what of await store.inspectIndex(index)) yield damage(stream.id, null, what);
    }
    const inherited = await addInherited(store, stream, start.seq, rows);
    for (const [kind, own] of found) {
      if (!rows.agrees(kind, [...(inherited.get(kind) ?? []), ...own])) {
        yield damage(stream.id, null, `the index of ${kind}s does not match the log`);
      }
    }
  } catch (error) {
    if (!(error instanceof BelayError)) throw error;
    yield damage(stream.id, null, error.message);
  }
}

function listingOf(head: SessionHead | TaskHead | SystemHead | null): Listing | null {
  if (isSessionHead(head)) return listSession(head);
  if (isTaskHead(head)) return listTask(head);
  return isSystemHead(head) ? listSystem(head) : null;
}

/**
 * The next events, the items that they opened and, with the first events, the newest stored heads, at once. All are as
 * of the listed seq: a session may be written meanwhile.
 */
async function readPage(
  store: VerifiedStore,
  { id, seq }: StoredStream,
  after: number,
  kinds: readonly string[],
  isFirst: boolean,
): Promise<MergedPart | undefined> {
  const limit = Math.min(PAGE, seq - after);
  const isLast = after + limit === seq;
  const items = { at: seq, after, ...(!isLast && { before: after + limit + 1 }) };
  const rows = kinds.map((kind) => ({ kind, ...items }));
  const heads = isFirst ? [seq, seq - 1] : [];
  const [part] = await readParts(store, [{ ref: { id }, rows, events: [{ after, limit }], heads }]);
  return part;
}

/**
 * A fork's own part starts after its fork point. The events before are verified with its parent, or with the first fork
 * of a removed parent. So the cost depends on the stored events, however many forks share them.
 */
async function findStart(
  store: VerifiedStore,
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

/**
 * Adds the earlier state of inherited items that the fork's own events patched. Returns these items as they are stored
 * now, by kind.
 */
async function addInherited(
  store: VerifiedStore,
  { id, seq }: StoredStream,
  at: number,
  rows: ReplayedRows,
): Promise<ReadonlyMap<string, readonly StoredRow[]>> {
  const patched = rows.kinds().flatMap((kind) =>
    rows
      .of(kind)
      .filter(({ place }) => place <= at)
      .map(({ place, nth }) => ({ kind, place, nth })),
  );
  const inherited = new Map<string, StoredRow[]>();
  if (patched.length === 0) return inherited;
  const queries = patched.flatMap(({ kind, place }) => {
    const item = { kind, after: place - 1, before: place + 1 };
    return [
      { ...item, at },
      { ...item, at: seq },
    ];
  });
  const [part] = await readParts(store, [{ ref: { id }, rows: queries }]);
  for (const [n, { kind, nth }] of patched.entries()) {
    const [before, now] = [part?.rows[2 * n], part?.rows[2 * n + 1]].map((items) =>
      items?.find((row) => row.nth === nth),
    );
    if (before) rows.addBefore(kind, rows.toCompared(kind, before));
    const items = inherited.get(kind) ?? [];
    inherited.set(kind, items);
    if (now) items.push(rows.toCompared(kind, now));
  }
  return inherited;
}

/** Heads of an earlier version do not contain the outcome of the last turn. */
function agrees(stored: unknown, folded: SessionHead | TaskHead | SystemHead | null): boolean {
  if (deepEqual(stored, folded)) return true;
  if (!isSessionHead(stored) || !isSessionHead(folded) || "last_turn" in stored) return false;
  const { last_turn: _, ...earlier } = folded;
  return deepEqual(stored, earlier);
}

/** All stored heads after this seq; the newest are known. */
async function readStoredHeads(
  store: VerifiedStore,
  { id }: StoredStream,
  after: number,
  newest: readonly (StoredHead | undefined)[],
): Promise<ReadonlyMap<number, unknown>> {
  const heads = new Map<number, unknown>();
  for (let found = newest; ; ) {
    for (const each of found) {
      if (!each || each.seq <= after) return heads;
      heads.set(each.seq, each.head);
    }
    const oldest = Math.min(...heads.keys());
    found = [await loadHeadBefore(store, id, oldest - 1)];
  }
}

function damage(stream: string, seq: number | null, what: string): Finding {
  return { kind: "damage", stream, seq, what };
}
