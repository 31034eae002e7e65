import { createSecretKey, type KeyObject, randomBytes } from "node:crypto";
import { isRecord } from "../../contract/is-record.ts";
import type { ListingDeclaration } from "../../contract/stream.ts";
import { RING_OWNER } from "../is-sealed.ts";
import type { Append, ListingValues, StreamRef } from "../stream-store.ts";
import { cannotOpen, openBytes, sealBytes } from "./seal-bytes.ts";

/** Each entry of the key ring is a stream of its own, because a stream can be purged. */
const KIND = "key";

/** The key ring's own key: for the hashes in indexes, and for the hooks' spool. */
export interface StoreEntry {
  readonly is: "store";
  readonly master: string;
  readonly wrapped: string;
}
/** An owner's key, wrapped by a master key. */
export interface OwnerEntry {
  readonly is: "owner";
  readonly owner: string;
  readonly master: string;
  readonly wrapped: string;
}
/** The key of one stream, wrapped by its owner's. */
export interface DataEntry {
  readonly is: "data";
  readonly writer: string;
  readonly owner: string;
  /** For a fork: the key of the stream that it continues, and the last inherited event. */
  readonly base: { readonly key: string; readonly seq: number } | null;
  readonly wrapped: string;
}
export type KeyEntry = StoreEntry | OwnerEntry | DataEntry;

export function entryRef(key: string): StreamRef & { readonly key: string } {
  return { kind: KIND, owner: RING_OWNER, key };
}

/** The id of a new key of a stream. */
export function newKeyId(): string {
  return randomBytes(8).toString("hex");
}

export function isRingKind(kind: string): boolean {
  return kind === KIND;
}

export function toEntryAppend(
  key: string,
  entry: KeyEntry,
  names: readonly string[],
  at: number,
  declared: ListingDeclaration,
): Append {
  return {
    // After a purge, neither the id nor the key of the entry is used again.
    id: `key-${key}`,
    create: { kind: KIND, owner: RING_OWNER, key },
    events: [keyEvent(1, "key.added", at)],
    head: entry,
    rows: [],
    names,
    listing: unlisted(declared),
  };
}

export function keyEvent(seq: number, type: string, at: number): Append["events"][number] {
  return { seq, type, at, actor: "belay", interface: "", trace_id: null, data: null };
}

export function unlisted({ fields }: ListingDeclaration): ListingValues {
  return Object.fromEntries(
    Object.entries(fields).map(([name, kind]) => [name, kind === "text" ? "" : 0]),
  );
}

/** Null for a head that is not an entry of the key ring. */
export function readEntry(head: unknown): KeyEntry | null {
  if (!isRecord(head) || typeof head.wrapped !== "string") return null;
  const { is, wrapped, master, owner, writer, base } = head;
  if (is === "store" && typeof master === "string") return { is, master, wrapped };
  if (typeof owner !== "string") return null;
  if (is === "owner" && typeof master === "string") return { is, owner, master, wrapped };
  if (is !== "data" || typeof writer !== "string") return null;
  if (base === null) return { is, writer, owner, base, wrapped };
  if (!isRecord(base) || typeof base.key !== "string" || typeof base.seq !== "number") return null;
  return { is, writer, owner, base: { key: base.key, seq: base.seq }, wrapped };
}

/** The purpose of a key is authenticated together with the key. */
type Purpose = StoreEntry | OwnerEntry | DataEntry;
type Unwrapped<T> = T extends Purpose ? Omit<T, "wrapped"> : never;

export function wrapKey(by: KeyObject, purpose: Unwrapped<Purpose>, secret: Uint8Array): string {
  return sealBytes(by, placeOf(purpose), NO_HEADER, secret).toString("base64");
}

export function unwrapKey(by: KeyObject, entry: KeyEntry): KeyObject {
  const secret = openBytes(by, placeOf(entry), 0, Buffer.from(entry.wrapped, "base64"));
  if (secret.length !== 32) throw cannotOpen();
  return createSecretKey(secret);
}

const NO_HEADER = new Uint8Array();

/** Without the name of the master key, because that may change. */
function placeOf(purpose: Unwrapped<Purpose>): string {
  switch (purpose.is) {
    case "store":
      return "store";
    case "owner":
      return JSON.stringify(["owner", purpose.owner]);
    case "data": {
      const { writer, owner, base } = purpose;
      return JSON.stringify(["data", writer, owner, base?.key ?? null, base?.seq ?? null]);
    }
  }
}
