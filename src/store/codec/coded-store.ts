import { isRecord } from "../../contract/is-record.ts";
import { changeVerdict } from "../append-rules.ts";
import { bytesOf, type Shown, showEvents, showRows } from "../cut-pages.ts";
import { LazyPart } from "../lazy-part.ts";
import type {
  Append,
  FeedPage,
  FeedQuery,
  Loaded,
  StoredEvent,
  StoredHead,
  StoredPatch,
  StoredStream,
  StreamPart,
  StreamRead,
  StreamStore,
} from "../stream-store.ts";
import type { ContentCodec, ContentPlace } from "./content-codec.ts";

/**
 * A store that encodes bodies, heads and patches with a codec. It keeps every promise of the port
 * for the decoded contents, so a page is limited by the decoded bytes.
 */
export function codedStore<S extends StreamStore>(store: S, codec: ContentCodec): S {
  const decode = (stored: unknown, place: ContentPlace) => codec.decode(stored, place);

  const showStream = (stream: StoredStream): StoredStream => {
    const place = { writer: stream.id, seq: stream.seq, part: "head" } as const;
    const head = decode(stream.head, place);
    return head ? { ...stream, head: head.value } : stream;
  };
  const showEvent = <T extends StoredEvent>(event: T): Shown<T> => {
    const place = { writer: event.writer, seq: event.seq, part: "body" } as const;
    const body = decode(event.data, place);
    return body
      ? { item: { ...event, data: body.value }, bytes: body.bytes }
      : { item: event, bytes: null };
  };
  const showPatch = (patch: StoredPatch): Shown<StoredPatch> => {
    const place = { writer: patch.writer, seq: patch.seq, part: "patch" } as const;
    const data = decode(patch.data, place);
    return data
      ? { item: { ...patch, data: patchData(data.value) }, bytes: data.bytes }
      : { item: patch, bytes: null };
  };

  const writeAppend = (append: Append): Append => {
    const { id: writer } = append;
    const seq = append.events.at(-1)?.seq ?? 0;
    const head = codec.encode(append.head, { writer, seq, part: "head" });
    const events = replaceSome(append.events, (event) => {
      const data = codec.encode(event.data, { writer, seq: event.seq, part: "body" });
      return data === event.data ? event : { ...event, data };
    });
    const rows = replaceSome(append.rows, (row) => {
      const data = codec.encode(row.data, { writer, seq: row.seq, part: "patch" });
      return data === row.data ? row : { ...row, data: patchData(data) };
    });
    const isSame = head === append.head && events === append.events && rows === append.rows;
    return isSame ? append : { ...append, head, events, rows };
  };

  const showHead = (found: StoredHead | undefined): StoredHead | undefined => {
    if (!found) return found;
    const place = { writer: found.writer, seq: found.seq, part: "head" } as const;
    const head = decode(found.head, place);
    return head ? { ...found, head: head.value } : found;
  };
  /**
   * The stream on demand, as the store itself may do. Most pages have nothing to decode and stay as they are; the store
   * has counted their bytes.
   */
  const showPart = (
    part: StreamPart,
    read: StreamRead,
    isLimited: boolean,
  ): { part: StreamPart; bytes: number } => {
    let bytes = 0;
    const counted = <T extends { readonly data: unknown }>(shown: readonly Shown<T>[]): T[] => {
      if (isLimited) for (const one of shown) bytes += bytesOf(one);
      return itemsOf(shown);
    };
    const rows = part.rows.map((page, n) =>
      mayBeCoded(page) ? counted(showRows(page, read.rows?.[n], showPatch)) : page,
    );
    const events = part.events.map((page, n) =>
      mayBeCoded(page) ? counted(showEvents(page, read.events?.[n], showEvent)) : page,
    );
    const pages = { rows, events, heads: part.heads.map(showHead) };
    return { part: new LazyPart(() => showStream(part.stream), pages), bytes };
  };

  return {
    ...store,

    async transact(transaction) {
      const outcome = await store.transact({
        ...transaction,
        decide: (loaded) => {
          const decision = transaction.decide(showLoaded(loaded));
          const shown =
            "load" in decision
              ? {
                  ...decision,
                  decide: (stream: StoredStream | undefined) =>
                    decision.decide(stream && showStream(stream)),
                }
              : decision;
          return changeVerdict(shown, (verdict) =>
            "appends" in verdict ? { appends: verdict.appends.map(writeAppend) } : verdict,
          );
        },
      });
      return outcome.kind === "committed"
        ? { ...outcome, streams: outcome.streams.map(showStream) }
        : outcome;
    },

    async read(reads, bytes) {
      codec.startPage?.();
      const parts = await store.read(reads, bytes);
      const shown: (StreamPart | undefined)[] = [];
      let room = bytes ?? Number.POSITIVE_INFINITY;
      for (const [n, part] of parts.entries()) {
        const read = reads[n];
        if (room < 0 || !read) break;
        const whole = part && showPart(part, read, bytes !== undefined);
        if (whole) room -= whole.bytes;
        shown.push(whole?.part);
      }
      return shown;
    },

    async list(query) {
      const page = await store.list(query);
      return { ...page, streams: page.streams.map(showStream) };
    },

    async readFeed(query) {
      codec.startPage?.();
      // Only the store knows the cursor after the events that fit. Others may be read again, because some were purged.
      for (let { limit } = query; ; ) {
        const page = await store.readFeed({ ...query, limit });
        if (!mayBeCoded(page.events)) return page;
        const shown = showFeed(page, query);
        if (shown.events.length === page.events.length) return shown;
        limit = shown.events.length;
      }
    },
  };

  function showFeed(page: FeedPage, { bytes, limit }: FeedQuery): FeedPage {
    const range = { after: 0, limit, ...(bytes !== undefined && { bytes }) };
    return { ...page, events: itemsOf(showEvents(page.events, range, showEvent)) };
  }

  function showLoaded({ streams, rows }: Loaded): Loaded {
    return {
      streams: streams.map((stream) => stream && showStream(stream)),
      rows: rows.map((page) => page.map((patch) => showPatch(patch).item)),
    };
  }
}

/** The list itself if no item is replaced, as most are not. */
function replaceSome<T>(items: readonly T[], replace: (item: T) => T): readonly T[] {
  const replaced = items.map(replace);
  return replaced.every((item, n) => item === items[n]) ? items : replaced;
}

/** Encoded contents are bytes. */
function mayBeCoded(page: readonly { readonly data: unknown }[]): boolean {
  return page.some(({ data }) => data instanceof Uint8Array);
}

function itemsOf<T>(shown: readonly Shown<T>[]): T[] {
  return shown.map(({ item }) => item);
}

function patchData(value: unknown): StoredPatch["data"] {
  if (value instanceof Uint8Array || isRecord(value)) return value;
  throw new Error("an index row holds no object");
}
