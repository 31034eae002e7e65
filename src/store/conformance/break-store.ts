import { refuse } from "../../contract/errors.ts";
import type { RowQuery } from "../../contract/stream.ts";
import { changeVerdict } from "../append-rules.ts";
import type { BlobStore, ByteSource, StoredBlob } from "../blob-store.ts";
import type {
  Append,
  Decision,
  Loaded,
  StoredPatch,
  StoredStream,
  StreamPart,
  StreamRead,
  StreamStore,
  Transaction,
  Verdict,
} from "../stream-store.ts";

/* Ways to break one aspect of a correct store. */

export type Fault = (store: StreamStore) => StreamStore;

export function onTransaction(change: (transaction: Transaction) => Transaction): Fault {
  return (store) => ({
    ...store,
    transact: (transaction) => store.transact(change(transaction)),
  });
}

export function onAppend(change: (append: Append, loaded: Loaded) => Append): Fault {
  return onTransaction((transaction) => ({
    ...transaction,
    decide: (loaded) =>
      changeVerdict(transaction.decide(loaded), (verdict) =>
        "appends" in verdict
          ? { appends: verdict.appends.map((append) => change(append, loaded)) }
          : verdict,
      ),
  }));
}

type Lease = StreamStore["lease"];

export function onLease(
  lease: (store: StreamStore, ...asked: Parameters<Lease>) => ReturnType<Lease>,
): Fault {
  return (store) => ({ ...store, lease: (...asked) => lease(store, ...asked) });
}

export function onPart(change: (part: StreamPart) => StreamPart): Fault {
  return (store) => ({
    ...store,
    read: async (...asked) => (await store.read(...asked)).map((part) => part && change(part)),
  });
}

export function onRows(
  change: (patches: readonly StoredPatch[], query: RowQuery) => readonly StoredPatch[],
): Fault {
  return (store) => ({
    ...store,
    read: async (reads, bytes) =>
      (await store.read(reads, bytes)).map((part, n) => {
        const queries = reads[n]?.rows ?? [];
        const rows = queries.map((query, nth) => change(part?.rows[nth] ?? [], query));
        return part && { ...part, rows };
      }),
  });
}

export function readParent(
  read: StreamRead,
  id: string,
  parents: ReadonlyMap<string, string>,
): StreamRead {
  return { ...read, ref: { id: parents.get(id) ?? id } };
}

/** The append with a base of at most the stream's seq. */
export function forkAtMost(append: Append, loaded: Loaded): Append {
  const { create, events } = append;
  const { base } = create ?? {};
  const last = loaded.streams.find((stream) => stream?.id === base?.id)?.seq;
  if (!create || !base || last === undefined || base.seq <= last) return append;
  return {
    ...append,
    create: { ...create, base: { ...base, seq: last } },
    events: events.map((event, n) => ({ ...event, seq: last + n + 1 })),
  };
}

/** The verdict of the transaction, found in a run that is refused. */
export async function decideApart(store: StreamStore, transaction: Transaction): Promise<Verdict> {
  let found: Verdict = { refused: refuse("internal", "never decided") };
  await store.transact({
    ...transaction,
    decide: (loaded) =>
      changeVerdict(transaction.decide(loaded), (verdict) => {
        found = verdict;
        return { refused: refuse("internal", "found out") };
      }),
  });
  return found;
}

/** The decision gets another stream in place of the one that it loads. */
export function seeFurther(
  decision: Decision,
  see: (stream: StoredStream | undefined) => StoredStream | undefined,
): Decision {
  if (!("load" in decision)) return decision;
  return { load: decision.load, decide: (stream) => decision.decide(see(stream)) };
}

export function onBlobs(
  change: (blobs: BlobStore, store: StreamStore) => BlobStore,
): (store: StreamStore) => StreamStore {
  return (store) => (store.blobs ? { ...store, blobs: change(store.blobs, store) } : store);
}

export function onBlobBytes(
  change: (bytes: StoredBlob["bytes"], size: number) => AsyncIterable<Uint8Array>,
): Fault {
  return onBlobs((blobs) => ({
    ...blobs,
    async get(...asked) {
      const found = await blobs.get(...asked);
      return found && { ...found, bytes: () => change(found.bytes, found.size) };
    },
  }));
}

export async function* withoutLast(source: ByteSource): AsyncGenerator<Uint8Array> {
  for await (const piece of source) yield piece.subarray(0, piece.length - 1);
}
