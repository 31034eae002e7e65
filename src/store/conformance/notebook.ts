import { refuse } from "../../contract/errors.ts";
import { isRecord } from "../../contract/is-record.ts";
import type { Listing } from "../../contract/stream.ts";
import type { StreamKind } from "../../contract/vocabulary.ts";
import type {
  Append,
  Idempotency,
  NewPatch,
  StoredEvent,
  StoredStream,
  StreamRef,
  StreamStore,
  Transaction,
} from "../stream-store.ts";

/*
 * A small example domain: a stream is a notebook, each event writes a line, the head counts the lines and repeats the
 * last one. So `head.lines === seq` holds in every visible state.
 */

interface Entry {
  readonly lines?: readonly string[];
  readonly rows?: readonly NewPatch[];
  readonly names?: readonly string[];
  readonly listing?: Partial<Listing>;
}

interface NewNotebook extends Entry {
  readonly kind?: StreamKind;
  readonly owner?: string;
  readonly key?: string;
  readonly base?: { readonly id: string; readonly seq: number };
}

export function begin(id: string, notebook: NewNotebook = {}): Transaction {
  const { kind = "session", owner = "ann", key = id } = notebook;
  return {
    streams: [{ kind, owner, key }, ...(notebook.base ? [{ id: notebook.base.id }] : [])],
    decide: ({ streams: [stream] }) =>
      stream
        ? { refused: refuse("session_exists", "begun already", { id: stream.id }) }
        : { appends: [newNotebook(id, notebook)] },
  };
}

export function write(id: string, entry: Entry = {}): Transaction {
  return {
    streams: [{ id }],
    decide: ({ streams: [stream] }) =>
      stream
        ? { appends: [moreLines(stream, entry)] }
        : { refused: refuse("session_not_found", "never begun", { id }) },
  };
}

/** Saves these appends, whatever the store contains. */
export function blindly(...appends: readonly Append[]): Transaction {
  const streams = appends.flatMap(({ id, create }): StreamRef[] => {
    if (!create) return [{ id }];
    const { kind, owner, key, base } = create;
    return [{ kind, owner, key }, ...(base ? [{ id: base.id }] : [])];
  });
  return { streams, decide: () => ({ appends }) };
}

/** Like a repeated request; `about` replaces its body. */
export function keyed(
  transaction: Transaction,
  key: string,
  about = "",
  scope = "ann write",
): Transaction & { readonly idempotency: Idempotency } {
  return { ...transaction, idempotency: { scope, key, digest: `digest of ${about}` } };
}

export function newNotebook(id: string, notebook: NewNotebook = {}): Append {
  const { kind = "session", owner = "ann", key = id, base, ...entry } = notebook;
  return {
    ...moreLines({ id, seq: base?.seq ?? 0 }, entry),
    create: { kind, owner, key, ...(base && { base }) },
  };
}

export function moreLines(after: Pick<StoredStream, "id" | "seq">, entry: Entry = {}): Append {
  const { lines = ["a line"], rows = [], names = [], listing } = entry;
  return {
    id: after.id,
    events: lines.map((text, index) => ({
      seq: after.seq + index + 1,
      type: "line.written",
      at: 1_700_000_000_000 + after.seq + index,
      actor: "ann",
      interface: "library",
      trace_id: index === 0 ? "trace" : null,
      data: { text },
    })),
    head: { lines: after.seq + lines.length, last: lines.at(-1) },
    rows,
    names,
    listing: { ...plainListing, ...listing },
  };
}

export function rowOf(place: number, seq: number, data: NewPatch["data"], more = {}): NewPatch {
  return { kind: "item", place, nth: 0, seq, key: null, data, ...more };
}

export async function keep(store: StreamStore, transaction: Transaction): Promise<StoredStream> {
  const outcome = await store.transact(transaction);
  const [stream] = outcome.kind === "committed" ? outcome.streams : [];
  if (!stream) throw new Error(`not committed: ${JSON.stringify(outcome)}`);
  return stream;
}

/** Realistic ids, because a store may rely on the form of a UUID. */
export function idOf(n: number): string {
  return `01920000-0000-7000-8000-${n.toString(16).padStart(12, "0")}`;
}

export function textsOf(events: readonly Pick<StoredEvent, "data">[]): unknown[] {
  return events.map(({ data }) => (isRecord(data) && "text" in data ? data.text : data));
}

/** 1, 2, 3 ... */
export function countTo(n: number): number[] {
  return Array.from({ length: n }, (_, index) => index + 1);
}

const plainListing: Listing = {
  status: "active",
  phase: "planning",
  agent: "scribe",
  interface: "library",
  project: "",
  task: "",
  waiting: 0,
  unsettled: 0,
  pinned: 0,
  created: 1_700_000_000_000,
  activity: 1_700_000_000_000,
};
