import { BelayError, type Refusal, refuse } from "../../contract/errors.ts";
import type { BlobStore } from "../../store/blob-store.ts";
import { loadStream } from "../../store/read-streams.ts";
import type {
  ListPage,
  ListQuery,
  Loaded,
  StoredStream,
  StreamRef,
  StreamStore,
  Tally,
  Transaction,
  Verdict,
} from "../../store/stream-store.ts";
import { isEntityId } from "../read/find-session.ts";

/** Limits which sessions a caller sees, and which of their decisions are saved. */
interface Narrowing {
  /** True if this session is visible. Nothing else is. */
  isOwn(stream: StoredStream | undefined): boolean;
  /** The verdict that is saved; `there` are streams whose ids the decision must not reuse. */
  judge(verdict: Verdict, there: readonly (StoredStream | undefined)[]): Verdict;
  tally(owner: string): Promise<Tally[]>;
  /** A check that runs inside each transaction. */
  readonly guard?: Guard;
}

interface Guard extends Required<Pick<Transaction, "streams" | "reads">> {
  /** Refuses the transaction, or returns null. Sees only the streams and rows that it asked for. */
  refuse(loaded: Loaded): Refusal | null;
}

/** A store that contains only some sessions. Their tasks are updated inside a transaction, but are not visible. */
export function narrowedStore(store: StreamStore, narrowing: Narrowing): StreamStore {
  const { isOwn } = narrowing;
  const isOwnId = async (id: string): Promise<boolean> => isOwn(await loadStream(store, { id }));

  // Each method is listed, so that a new one is not passed through unchecked.
  return {
    list: (query) => listOwn(store, query, isOwn),
    watch: (onChange, stream) => store.watch(onChange, stream),
    lease: (id, request) => store.lease(id, request),
    purge: (id, at, seq) => store.purge(id, at, seq),
    close: () => store.close(),
    ...(store.blobs && { blobs: ownBlobs(store.blobs, isOwnId) }),
    ...(store.notes && { notes: store.notes }),
    async transact(transaction) {
      const { decide } = transaction;
      const entities = await namedLikeIds(store, transaction.streams);
      const { guarded, split } = withGuard(transaction, narrowing.guard);
      const outcome = await store.transact({
        ...guarded,
        decide: (everything) => {
          const { loaded, refused } = split(everything);
          if (refused) return { refused };
          const hide = (stream: StoredStream | undefined) =>
            stream?.kind === "session" && !isOwn(stream) ? undefined : stream;
          const judge = (verdict: Verdict, more?: StoredStream) =>
            narrowing.judge(verdict, [...loaded.streams, ...entities, more]);
          const decision = decide({ ...loaded, streams: loaded.streams.map(hide) });
          if (!("load" in decision)) return judge(decision);
          return {
            load: decision.load,
            decide: (stream) => judge(decision.decide(hide(stream)), stream),
          };
        },
      });
      if (outcome.kind !== "replayed" || (await isOwnId(outcome.id))) return outcome;
      const message = "This idempotency key was used by someone else. Use another one.";
      return { kind: "refused", refusal: refuse("idempotency_conflict", message) };
    },
    async read(reads, bytes) {
      const parts = await store.read(reads, bytes);
      return parts.map((part) => (isOwn(part?.stream) ? part : undefined));
    },
    async tally(kind, owner) {
      return kind === "session" ? narrowing.tally(owner) : [];
    },
    async findByName(owner, name, page) {
      const places = await store.findByName(owner, name, page);
      const own = await Promise.all(places.map(({ id }) => isOwnId(id)));
      return places.filter((_, n) => own[n]);
    },
    async findInFeed(sought) {
      const found = await store.findInFeed(sought);
      return found && (await isOwnId(found.stream)) ? found : found && { ...found, owner: "" };
    },
    async readFeed(query) {
      const page = await store.readFeed(query);
      const ids = [...new Set(page.events.map(({ stream }) => stream))];
      const streams = await store.read(ids.map((id) => ({ ref: { id } })));
      const own = new Set(ids.filter((_, n) => isOwn(streams[n]?.stream)));
      // Blanked instead of removed, because a page without events would mean the end.
      const events = page.events.map((event) =>
        own.has(event.stream) ? event : { ...event, owner: "", key: "", actor: "", data: {} },
      );
      return { ...page, events };
    },
  };
}

/** Adds the streams and rows of the guard to a transaction, and separates them again for the decision. */
function withGuard(transaction: Transaction, guard: Guard | undefined) {
  if (!guard) {
    return { guarded: transaction, split: (loaded: Loaded) => ({ loaded, refused: null }) };
  }
  const { streams, reads = [] } = transaction;
  const moved = guard.reads.map(({ stream, query }) => ({
    stream: stream + streams.length,
    query,
  }));
  return {
    guarded: {
      ...transaction,
      streams: [...streams, ...guard.streams],
      reads: [...reads, ...moved],
    },
    split: ({ streams: all, rows }: Loaded) => ({
      loaded: { streams: all.slice(0, streams.length), rows: rows.slice(0, reads.length) },
      refused: guard.refuse({
        streams: all.slice(streams.length),
        rows: rows.slice(reads.length),
      }),
    }),
  };
}

/** The most pages to read in a list of mostly foreign sessions. */
const MOST_PAGES = 20;

/** Fills a page as far as that is quick; the rest starts at its cursor. */
async function listOwn(
  store: StreamStore,
  query: ListQuery,
  isOwn: (stream: StoredStream) => boolean,
): Promise<ListPage> {
  if (query.kind !== "session") return { streams: [], damaged: [], next: null };
  const streams: StoredStream[] = [];
  let asked = query;
  for (let pages = 1; ; pages += 1) {
    const { streams: found, next } = await store.list(asked);
    streams.push(...found.filter(isOwn));
    const limit = query.limit - streams.length;
    if (next === null || limit <= 0 || pages === MOST_PAGES) return { streams, damaged: [], next };
    asked = { ...query, limit, after: next };
  }
}

/** The streams whose entity ids are used as keys here. */
async function namedLikeIds(store: StreamStore, refs: readonly StreamRef[]) {
  const ids = refs.flatMap((ref) => ("key" in ref && isEntityId(ref.key) ? [ref.key] : []));
  return Promise.all(ids.map((id) => loadStream(store, { id })));
}

function ownBlobs(blobs: BlobStore, isOwnId: (id: string) => Promise<boolean>): BlobStore {
  const expectOwn = async (id: string): Promise<void> => {
    if (!(await isOwnId(id)))
      throw new BelayError(refuse("session_not_found", "Session not found."));
  };
  return {
    async put(id, source, coding, most) {
      await expectOwn(id);
      return blobs.put(id, source, coding, most);
    },
    get: async (id, digest) => ((await isOwnId(id)) ? blobs.get(id, digest) : undefined),
    async drop(id, digest) {
      await expectOwn(id);
      await blobs.drop(id, digest);
    },
    used: (owner) => blobs.used(owner),
  };
}
