import { BelayError, refuse } from "../contract/errors.ts";
import { WEBHOOK_SESSIONS } from "../contract/id-pattern.ts";
import { isSessionHead } from "../core/session/known-events.ts";
import type { BlobStore } from "../store/blob-store.ts";
import { loadStream } from "../store/read-streams.ts";
import type {
  Append,
  ListPage,
  ListQuery,
  StoredStream,
  StreamRef,
  StreamStore,
  Tally,
  Verdict,
} from "../store/stream-store.ts";
import { type CountableSession, countedSessions } from "./read/counted-sessions.ts";
import { isEntityId } from "./read/find-session.ts";
import type { Caller } from "./service-context.ts";

/** What a caller sees of the store: a token with scope `record`, only the sessions that it created. */
export function storeFor(store: StreamStore, { scope, token_id = "" }: Caller): StreamStore {
  return scope === "record" ? knownRecorderStore(store, token_id) : store;
}

/** Tokens of which this process keeps the store that they see. */
const MOST_RECORDERS = 64;
const known = new WeakMap<StreamStore, Map<string, StreamStore>>();

/** The same object each time: what is remembered of a store is remembered by it. */
function knownRecorderStore(store: StreamStore, recorder: string): StreamStore {
  const stores = known.get(store) ?? new Map<string, StreamStore>();
  known.set(store, stores);
  const own = stores.get(recorder) ?? recorderStore(store, recorder);
  stores.delete(recorder);
  stores.set(recorder, own);
  for (const oldest of stores.keys()) if (stores.size > MOST_RECORDERS) stores.delete(oldest);
  return own;
}

/**
 * The store as one recorder sees it: every operation finds its own sessions and no others, and what it creates is its own.
 * Tasks follow its sessions inside of a transaction, but are not shown.
 */
export function recorderStore(store: StreamStore, recorder: string): StreamStore {
  const isOwn = (stream: StoredStream | undefined): boolean =>
    isSessionHead(stream?.head) && stream.head.recorder === recorder;
  const isOwnId = async (id: string): Promise<boolean> => isOwn(await loadStream(store, { id }));
  const list = (query: ListQuery): Promise<ListPage> => listOwn(store, query, isOwn);

  // Each method by its name: a new one is not let through before somebody has thought of it.
  return {
    list,
    watch: (onChange) => store.watch(onChange),
    lease: (id, request) => store.lease(id, request),
    purge: (id, at) => store.purge(id, at),
    close: () => store.close(),
    ...(store.blobs && { blobs: ownBlobs(store.blobs, isOwnId) }),
    ...(store.notes && { notes: store.notes }),
    async transact(transaction) {
      const { decide } = transaction;
      const entities = await namedLikeIds(store, transaction.streams);
      const outcome = await store.transact({
        ...transaction,
        decide: (loaded) => {
          const hide = (stream: StoredStream | undefined) =>
            stream?.kind === "session" && !isOwn(stream) ? undefined : stream;
          const judge = (verdict: Verdict, more?: StoredStream) =>
            refuseTaken(verdict, [...loaded.streams, ...entities, more]) ??
            signCreated(verdict, recorder);
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
      const found = new Map<string, Tally>();
      if (kind !== "session") return [];
      for (const session of (await countedSessions(store, owner)).sessions.values()) {
        if (session.recorder === recorder) count(found, session);
      }
      return [...found.values()];
    },
    async findByName(owner, name, page) {
      const places = await store.findByName(owner, name, page);
      const own = await Promise.all(places.map(({ id }) => isOwnId(id)));
      return places.filter((_, n) => own[n]);
    },
    async readFeed(query) {
      const page = await store.readFeed(query);
      const ids = [...new Set(page.events.map(({ stream }) => stream))];
      const streams = await store.read(ids.map((id) => ({ ref: { id } })));
      const own = new Set(ids.filter((_, n) => isOwn(streams[n]?.stream)));
      // Left in its place as nobody's: a page without events would be the end.
      const events = page.events.map((event) =>
        own.has(event.stream) ? event : { ...event, owner: "", key: "", actor: "", data: {} },
      );
      return { ...page, events };
    },
  };
}

/** Of a list in which most is others'. */
const MOST_PAGES = 20;

/** Fills a page as far as that can be done quickly; what is left begins at its cursor. */
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

function count(found: Map<string, Tally>, session: CountableSession): void {
  const status = session.is_deleted ? "deleted" : session.status;
  const { streams, sum } = found.get(status) ?? { streams: 0, sum: 0 };
  found.set(status, { value: status, streams: streams + 1, sum: sum + session.waiting });
}

/** The streams whose entity ids these keys are. */
async function namedLikeIds(store: StreamStore, refs: readonly StreamRef[]) {
  const ids = refs.flatMap((ref) => ("key" in ref && isEntityId(ref.key) ? [ref.key] : []));
  return Promise.all(ids.map((id) => loadStream(store, { id })));
}

/** A session that is hidden has its ids all the same. */
function refuseTaken(
  verdict: Verdict,
  streams: readonly (StoredStream | undefined)[],
): Verdict | null {
  const made = "appends" in verdict ? verdict.appends.flatMap(({ create }) => create ?? []) : [];
  // A delivery would start the agent that the recorder chose.
  if (made.some(({ key }) => key.startsWith(WEBHOOK_SESSIONS))) {
    const message = `This token cannot create sessions for webhooks. Choose an id that does not start with ${WEBHOOK_SESSIONS}`;
    return { refused: refuse("not_allowed", message) };
  }
  const taken = made.find(({ kind, owner, key }) =>
    streams.some(
      (stream) =>
        stream?.kind === kind && stream.owner === owner && [stream.key, stream.id].includes(key),
    ),
  );
  if (!taken) return null;
  const message = `Session ${taken.key} already exists. This token did not create it.`;
  return { refused: refuse("session_exists", message, { session_id: taken.key }) };
}

function signCreated(verdict: Verdict, recorder: string): Verdict {
  if (!("appends" in verdict)) return verdict;
  return { appends: verdict.appends.map((append) => signAppend(append, recorder)) };
}

function signAppend(append: Append, recorder: string): Append {
  const { create, head, events } = append;
  if (create?.kind !== "session" || !isSessionHead(head)) return append;
  return {
    ...append,
    head: { ...head, recorder },
    events: events.map((event) =>
      event.type === "session.created"
        ? { ...event, data: withRecorder(event.data, recorder) }
        : event,
    ),
  };
}

function withRecorder(data: unknown, recorder: string): unknown {
  return typeof data === "object" ? { ...data, recorder } : data;
}

function ownBlobs(blobs: BlobStore, isOwnId: (id: string) => Promise<boolean>): BlobStore {
  const expectOwn = async (id: string): Promise<void> => {
    if (!(await isOwnId(id)))
      throw new BelayError(refuse("session_not_found", "Session not found."));
  };
  return {
    async put(id, source) {
      await expectOwn(id);
      return blobs.put(id, source);
    },
    get: async (id, digest) => ((await isOwnId(id)) ? blobs.get(id, digest) : undefined),
    async drop(id, digest) {
      await expectOwn(id);
      await blobs.drop(id, digest);
    },
  };
}
