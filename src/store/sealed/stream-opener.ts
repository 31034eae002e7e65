import { BelayError } from "../../contract/errors.ts";
import { isRecord } from "../../contract/is-record.ts";
import type { RowQuery } from "../../contract/stream.ts";
import type { Shown } from "../cut-pages.ts";
import { freezeJson } from "../freeze-json.ts";
import type {
  Loaded,
  StoredEvent,
  StoredHead,
  StoredPatch,
  StoredStream,
  StreamPart,
  StreamRef,
  Transaction,
} from "../stream-store.ts";
import type { DataKey, KeyRing } from "./key-ring.ts";
import { OpenedContents, type ParsedContent } from "./opened-contents.ts";
import { OpenedHead } from "./opened-head.ts";
import { Recent } from "./recent.ts";
import { cannotOpen } from "./seal-bytes.ts";
import type { HeadPlace } from "./seal-parts.ts";
import { keyIdOf, openContent, parseOpened, partOf, type SealedPlace } from "./sealed-content.ts";
import { SealedHead } from "./sealed-head.ts";

/** Decrypts stored contents whose keys are open. */
export class StreamOpener {
  readonly #ring: KeyRing;
  readonly #heads = new Recent<OpenedHead>(512);
  readonly #contents = new OpenedContents(12 * 1024 * 1024);

  constructor(ring: KeyRing) {
    this.#ring = ring;
  }

  /** A head that decisions see unencrypted, and that is encrypted when it is stored. Null for bytes. */
  toLate(key: DataKey, place: HeadPlace, head: unknown, before: unknown): SealedHead | null {
    if (head instanceof Uint8Array) return null;
    const known =
      before instanceof SealedHead ? before.value : this.#heads.get(place.writer)?.shared;
    const value = freezeJson(head, known);
    return new SealedHead(key, place, value, (stored) => {
      const { writer, seq, streamKey } = place;
      const found = { seq, stored, key: streamKey, owner: key.owner };
      this.#heads.set(writer, new OpenedHead(found, "", value));
    });
  }

  unknownKeys({ streams, rows }: Loaded): string[] {
    const isLate = (head: unknown) => head instanceof SealedHead;
    const heads = streams.flatMap((stream) =>
      stream && !isLate(stream.head) ? [stream.head] : [],
    );
    const contents = [...heads, ...rows.flat().map(({ data }) => data)];
    return this.#ring.unopened(contents.flatMap((content) => keyIdOf(content) ?? []));
  }

  /** Adds the keys of every content in a part. */
  addKeys({ stream, rows, events, heads }: StreamPart, keys: Set<string>): void {
    const add = (content: unknown) => {
      const id = keyIdOf(content);
      if (id !== undefined) keys.add(id);
    };
    add(stream.head);
    for (const page of rows) for (const { data } of page) add(data);
    for (const page of events) for (const { data } of page) add(data);
    for (const found of heads) add(found?.head);
  }

  showLoaded({ streams, rows }: Loaded, { reads = [], streams: refs }: Transaction): Loaded {
    return {
      streams: streams.map((stream, n) => stream && this.showFound(stream, refs[n])),
      rows: rows.map((page, n) => {
        const { stream: place, query } = reads[n] ?? { stream: -1, query: undefined };
        const own = this.ownKey(streams[place]?.head);
        return page.map((patch) => this.showPatch(patch, query, own).item);
      }),
    };
  }

  /** The owner is readable in the database, but authenticated with the key of the stream. The head names `keyId`. */
  showStream(stream: StoredStream, keyId = keyIdOf(stream.head)): StoredStream {
    const { key, owner, value } = this.#openHead(stream, keyId);
    if (owner !== stream.owner) throw cannotOpen();
    return { ...stream, key, head: value };
  }

  keyOf(stream: StoredStream): string {
    return this.#openHead(stream, keyIdOf(stream.head)).key;
  }

  /** Decrypts a stream that was found by its key. */
  showFound(stream: StoredStream, ref: StreamRef | undefined): StoredStream {
    const shown = this.showStream(stream);
    if (ref && "key" in ref && ref.key !== shown.key) throw cannotOpen();
    return shown;
  }

  /** The key with which the stream of this head writes. */
  ownKey(head: unknown): DataKey | undefined {
    return head instanceof SealedHead ? head.key : this.#keyOf(head);
  }

  showHead(found: StoredHead, own: DataKey | undefined): StoredHead {
    const { writer, seq, head } = found;
    const key = this.#expectWritten(own, seq, head);
    const { content } = openContent(key, head, { part: "head", writer, seq });
    return { ...found, head: parseOpened(content) };
  }

  showEvent<T extends StoredEvent>(event: T, own: DataKey | undefined): Shown<T> {
    const { writer, seq, data } = event;
    const key = this.#expectWritten(own, seq, data);
    const { value, bytes, extras } = this.#open(key, data, { part: "body", writer, seq });
    const [actor, trace_id = null] = extras;
    return { item: { ...event, actor: actor ?? "", trace_id, data: value }, bytes };
  }

  /** A patch may be the body of the event that opened its row. */
  showPatch(
    patch: StoredPatch,
    query: RowQuery | undefined,
    own: DataKey | undefined,
  ): Shown<StoredPatch> {
    const { writer, seq, place, nth } = patch;
    const by = this.#expectWritten(own, seq, patch.data);
    const kind = query?.kind ?? "";
    const isBody = partOf(patch.data) === "body";
    const opened = isBody
      ? this.#open(by, patch.data, { part: "body", writer, seq })
      : this.#open(by, patch.data, { part: "patch", writer, seq, item: { kind, place, nth } });
    const [key = null, opens] = isBody ? opened.extras.slice(2) : opened.extras;
    const isMoved = isBody && (opens !== kind || place !== seq || nth !== 0);
    const isOther = query?.key !== undefined && key !== null && key !== query.key;
    if (isMoved || isOther) throw cannotOpen();
    const { value, bytes } = opened;
    if (!(value instanceof Uint8Array) && !isRecord(value)) throw cannotOpen();
    return { item: { ...patch, key, data: value }, bytes };
  }

  /** The inner store names a stream by its encrypted key. */
  showError(error: unknown): unknown {
    if (!(error instanceof BelayError)) return error;
    const { code, details } = error;
    if (typeof details.key !== "string" || code !== "session_exists") return error;
    const key = this.#ring.hashes.openKey(details.key);
    const message = error.message.replaceAll(details.key, key);
    return new BelayError({ error: code, message, details: { ...details, key } }, error);
  }

  /**
   * Each key names the key that it continues, and the last inherited event. So a stream shows only contents of its
   * ancestors, even if the database names another writer. Returns the key with which the content was written.
   */
  #expectWritten(own: DataKey | undefined, seq: number, stored: unknown): DataKey {
    let key = own;
    while (key?.base && seq <= key.base.seq) key = this.#ring.find(key.base.key);
    if (!key || key.id !== keyIdOf(stored)) throw cannotOpen();
    return key;
  }

  /** The key that a content names. */
  #keyOf(stored: unknown): DataKey | undefined {
    return this.#ring.find(keyIdOf(stored) ?? "");
  }

  #open(key: DataKey, stored: unknown, place: SealedPlace): ParsedContent {
    if (!(stored instanceof Uint8Array)) throw cannotOpen();
    return this.#contents.get(stored, place, () => openContent(key, stored, place));
  }

  #openHead(
    stream: StoredStream,
    keyId: string | undefined,
  ): Pick<OpenedHead, "key" | "owner" | "value"> {
    const { id, seq, head: stored } = stream;
    if (stored instanceof SealedHead) {
      return { key: stored.place.streamKey, owner: stored.key.owner, value: stored.value };
    }
    if (!(stored instanceof Uint8Array)) throw cannotOpen();
    const known = this.#heads.get(id);
    if (known?.isAt(seq, stored)) return known;
    const own = this.#ring.find(keyId ?? "");
    const { content, extras } = openContent(own, stored, { part: "head", writer: id, seq });
    const found = { seq, stored, key: extras[0] ?? "", owner: own?.owner ?? "" };
    const opened = new OpenedHead(found, content);
    // Bytes cannot be frozen, so each reader gets its own.
    if (typeof content === "string") this.#heads.set(id, opened);
    return opened;
  }
}
