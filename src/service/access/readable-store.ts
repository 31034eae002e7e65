import { ownerIn } from "../../contract/id-pattern.ts";
import { SESSION_LISTING } from "../../contract/stream.ts";
import { isSessionHead } from "../../core/session/known-events.ts";
import { listSession } from "../../core/session/list-session.ts";
import { answerOperation, mayDo } from "../../core/shares.ts";
import { checkFilter, matchesFilter } from "../../store/list-rules.ts";
import type {
  ListFilter,
  ListPage,
  ListQuery,
  StoredStream,
  StreamRef,
  StreamStore,
  Tally,
} from "../../store/stream-store.ts";
import { readCursorParts, writeCursorParts } from "../read/cursor-parts.ts";
import type { Caller } from "../service-context.ts";
import { recordSeen } from "./access-log.ts";
import { type Grant, type GrantContext, listShared, readGrants } from "./read-grants.ts";
import { storeFor } from "./recorder-store.ts";

/**
 * The store that a caller may read: their own sessions and those shared with them; for a recorder, only its own
 * sessions.
 */
export function readableStore(
  context: GrantContext,
  caller: Caller,
  options: ReadableOptions = {},
): StreamStore {
  const own = storeFor(context.store, caller);
  return own === context.store ? personStore(context, caller.owner, options) : own;
}

interface ReadableOptions {
  /** False for lists of sessions: the audit does not record that a person saw a session in a list. */
  readonly records?: boolean;
}

/**
 * The store as a person reads it: sessions shared with them appear among their own, under the key OWNER/ID. Nothing is
 * cached, so an unshared session is gone from the next answer on.
 */
function personStore(
  context: GrantContext,
  person: string,
  { records = true }: ReadableOptions,
): StreamStore {
  const { store } = context;
  const recordGrants = async (grants: Iterable<Grant>): Promise<void> => {
    if (!records) return;
    await recordSeen(
      context,
      person,
      [...grants].map(({ stream }) => stream),
    );
  };
  const sharedNow = async (): Promise<Grant[]> => {
    const ids = await listShared(store, person);
    return [...(await readGrants(context, person, ids)).values()];
  };
  const isOthers = ({ kind, owner }: Pick<StoredStream, "kind" | "owner">): boolean =>
    kind === "session" && owner !== person;

  // Each method is listed, so that a new one is not passed through unchecked.
  return {
    transact: (transaction) => store.transact(transaction),
    watch: (onChange, stream) => store.watch(onChange, stream),
    lease: (id, request) => store.lease(id, request),
    purge: (id, at, seq) => store.purge(id, at, seq),
    findByName: (owner, name, page) => store.findByName(owner, name, page),
    close: () => store.close(),
    ...(store.blobs && { blobs: store.blobs }),
    ...(store.notes && { notes: store.notes }),
    async list(query) {
      if (query.kind !== "session" || query.owner !== person) return store.list(query);
      const from = readPlaces(query.after);
      // A person's own sessions do not depend on the shares, so both are read at once.
      const [own, shared] = await Promise.all([
        listOwn(store, query, from.own, query.limit),
        sharedNow(),
      ]);
      if (shared.length === 0 && !query.after?.startsWith(MARK)) return own;
      const page = await listBoth(store, query, { own, shared, from }, person);
      const [only, second] = page.streams;
      // The start of an id names the one session whose id starts like this.
      if (query.filter.key_prefix !== undefined && only && !second) {
        await recordGrants(shared.filter(({ stream }) => stream.id === only.id));
      }
      return page;
    },
    async read(reads, bytes) {
      const named = reads.map((read) => {
        const ref = whoseRef(read.ref, person);
        return ref === read.ref ? read : { ...read, ref };
      });
      const parts = await store.read(named, bytes);
      if (!parts.some((part) => part && isOthers(part.stream))) return parts;
      const others = parts.flatMap((part) => (part && isOthers(part.stream) ? part.stream.id : []));
      const grants = await readGrants(context, person, [...new Set(others)]);
      await recordGrants(grants.values());
      return parts.map((part) => {
        if (!part || !isOthers(part.stream)) return part;
        return grants.has(part.stream.id)
          ? { ...part, stream: presentShared(part.stream, person) }
          : undefined;
      });
    },
    async tally(kind, owner) {
      const own = await store.tally(kind, owner);
      if (kind !== "session" || owner !== person) return own;
      const found = new Map(own.map((tally) => [tally.value, tally]));
      for (const grant of await sharedNow()) addTo(found, grant);
      return [...found.values()];
    },
    async findInFeed(sought) {
      const found = await store.findInFeed(sought);
      if (!found || found.owner === person) return found;
      const { stream } = found;
      const isShared = (await readGrants(context, person, [stream])).has(stream);
      return isShared ? { ...found, owner: person } : found;
    },
    async readFeed(query) {
      const page = await store.readFeed(query);
      const others = new Set(page.events.filter(isOthers).map(({ stream }) => stream));
      if (others.size === 0) return page;
      const known = (await listShared(store, person)).filter((id) => others.has(id));
      const grants = await readGrants(context, person, known);
      await recordGrants(grants.values());
      const events = page.events.map((event) =>
        grants.has(event.stream)
          ? { ...event, owner: person, key: `${event.owner}/${event.key}` }
          : event,
      );
      return { ...page, events };
    },
  };
}

/** Resolves OWNER/ID. */
function whoseRef(ref: StreamRef, person: string): StreamRef {
  if (!("key" in ref) || ref.kind !== "session" || ref.owner !== person) return ref;
  const owner = ownerIn(ref.key);
  return owner === null ? ref : { ...ref, owner, key: ref.key.slice(owner.length + 1) };
}

function presentShared(stream: StoredStream, person: string): StoredStream {
  const key = `${stream.owner}/${stream.key}`;
  const { head } = stream;
  // The pin belongs to the owner's own list.
  const shown = isSessionHead(head) ? { ...head, session_id: key, pinned: false } : head;
  return { ...stream, owner: person, key, head: shown };
}

/** Only the questions that the person may answer count. */
function addTo(found: Map<string, Tally>, { head, role }: Grant): void {
  const { status } = listSession(head);
  const waiting = head.approvals.filter(({ kind }) => mayDo(role, answerOperation(kind))).length;
  const { streams, sum } = found.get(status) ?? { streams: 0, sum: 0 };
  found.set(status, { value: status, streams: streams + 1, sum: sum + waiting });
}

/** A stream's position in a list: band, then newest first, then by id. */
interface ListPosition {
  readonly band: number;
  readonly time: number;
  readonly id: string;
}

function comparePlaces(a: ListPosition, b: ListPosition): number {
  if (a.band !== b.band) return a.band - b.band;
  if (a.time !== b.time) return b.time - a.time;
  return a.id < b.id ? -1 : Number(a.id > b.id);
}

/** Marks a cursor into both lists. */
const MARK = "b.";

/** A page of the person's own sessions after this cursor. */
async function listOwn(
  store: StreamStore,
  { after: _, ...query }: ListQuery,
  after: string | null,
  limit: number,
): Promise<ListPage> {
  if (after === null) return { streams: [], damaged: [], next: null };
  return store.list({ ...query, limit, ...(after !== "" && { after }) });
}

interface BothLists {
  /** The next page of the store. */
  readonly own: ListPage;
  /** All shared sessions, which are few. */
  readonly shared: readonly Grant[];
  readonly from: Places;
}

/** One page of two merged lists. */
async function listBoth(
  store: StreamStore,
  query: ListQuery,
  { own, shared, from }: BothLists,
  person: string,
): Promise<ListPage> {
  checkFilter(query.filter, SESSION_LISTING);
  const rest = shared
    .flatMap(({ stream: theirs }) => {
      const stream = presentShared(theirs, person);
      const place = placeOf(stream, query);
      return place ? [{ stream, place }] : [];
    })
    .filter(({ place }) => from.shared === null || comparePlaces(place, from.shared) > 0)
    .sort((a, b) => comparePlaces(a.place, b.place));
  const mine = own.streams.map((stream) => ({ stream, place: placeOf(stream, query, true) }));
  const streams: StoredStream[] = [];
  let [taken, used] = [0, 0];
  while (streams.length < query.limit) {
    const [mineNext, sharedNext] = [mine[taken], rest[used]];
    // If the store has a further page, it may have sessions that come before the next shared one.
    if (!mineNext && (own.next !== null || !sharedNext)) break;
    const isMine =
      mineNext && (!sharedNext || comparePlaces(mineNext.place ?? LAST, sharedNext.place) < 0);
    const next = isMine ? mineNext : sharedNext;
    if (!next) break;
    streams.push(next.stream);
    if (isMine) taken += 1;
    else used += 1;
  }
  const isWhole = taken === mine.length;
  const behind = isWhole
    ? own.next
    : taken === 0
      ? from.own
      : (await listOwn(store, query, from.own, taken)).next;
  const place = rest[used - 1]?.place ?? from.shared;
  const isOver = behind === null && used === rest.length;
  return {
    streams,
    damaged: own.damaged,
    next: isOver ? null : writePlaces(behind, place),
  };
}

const LAST: ListPosition = { band: Number.MAX_SAFE_INTEGER, time: 0, id: "" };

/** Null for a session that the query does not select. */
function placeOf(
  { key, head, id }: StoredStream,
  { filter, bands = [{}] }: ListQuery,
  isListed = false,
): ListPosition | null {
  if (!isSessionHead(head)) return null;
  const listing = listSession(head);
  const fits = (wanted: ListFilter) => matchesFilter({ key, listing }, wanted, SESSION_LISTING);
  if (!isListed && !fits(filter)) return null;
  const band = bands.findIndex(fits);
  return band < 0 ? null : { band, time: listing.activity, id };
}

interface Places {
  /** A cursor of the store; empty means its start, null its end. */
  readonly own: string | null;
  readonly shared: ListPosition | null;
}

function writePlaces(own: string | null, shared: ListPosition | null): string {
  const place = shared ? [shared.band, shared.time, shared.id] : [];
  return `${MARK}${writeCursorParts([own, ...place])}`;
}

function readPlaces(cursor: string | undefined): Places {
  if (cursor === undefined) return { own: "", shared: null };
  // A cursor from before anything was shared.
  if (!cursor.startsWith(MARK)) return { own: cursor, shared: LAST };
  const [own, band, time, id] = readCursorParts(cursor.slice(MARK.length));
  const place =
    typeof band === "number" && typeof time === "number" && typeof id === "string"
      ? { band, time, id }
      : null;
  return { own: typeof own === "string" ? own : null, shared: place };
}
