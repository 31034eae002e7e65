import { refuse } from "../../contract/errors.ts";
import { WEBHOOK_SESSIONS } from "../../contract/id-pattern.ts";
import { isSessionHead } from "../../core/session/known-events.ts";
import type {
  Append,
  StoredStream,
  StreamStore,
  Tally,
  Verdict,
} from "../../store/stream-store.ts";
import { type CountableSession, countedSessions } from "../read/counted-sessions.ts";
import type { Caller } from "../service-context.ts";
import { narrowedStore } from "./narrowed-store.ts";

/** The store that a caller sees. A token with scope `record` only sees the sessions that it created. */
export function storeFor(store: StreamStore, { scope, token_id = "" }: Caller): StreamStore {
  return scope === "record" ? knownRecorderStore(store, token_id) : store;
}

/** The most tokens whose store is cached in this process. */
const MOST_RECORDERS = 64;
const known = new WeakMap<StreamStore, Map<string, StreamStore>>();

/** Returns the same object each time, because caches are keyed by it. */
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
 * The store as one recorder sees it: every operation finds only its own sessions, and the sessions it creates belong to
 * it.
 */
export function recorderStore(store: StreamStore, recorder: string): StreamStore {
  return narrowedStore(store, {
    isOwn: (stream) => isSessionHead(stream?.head) && stream.head.recorder === recorder,
    judge: (verdict, there) => refuseTaken(verdict, there) ?? signCreated(verdict, recorder),
    async tally(owner) {
      const found = new Map<string, Tally>();
      for (const session of (await countedSessions(store, owner)).sessions.values()) {
        if (session.recorder === recorder) count(found, session);
      }
      return [...found.values()];
    },
  });
}

function count(found: Map<string, Tally>, session: CountableSession): void {
  const status = session.is_deleted ? "deleted" : session.status;
  const { streams, sum } = found.get(status) ?? { streams: 0, sum: 0 };
  found.set(status, { value: status, streams: streams + 1, sum: sum + session.waiting });
}

/** The ids of hidden sessions are still taken. */
function refuseTaken(
  verdict: Verdict,
  streams: readonly (StoredStream | undefined)[],
): Verdict | null {
  const made = "appends" in verdict ? verdict.appends.flatMap(({ create }) => create ?? []) : [];
  // A webhook delivery to it would start the agent that the recorder chose.
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
  const message = `Session ${taken.key} already exists, and this token cannot access it. Choose another id.`;
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
