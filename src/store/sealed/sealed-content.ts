import type { Content } from "../content.ts";
import { decodeText } from "../decode-text.ts";
import type { DataKey } from "./key-ring.ts";
import { cannotOpen, openBytes, sealBytes } from "./seal-bytes.ts";

/** The place of a content, which is authenticated with it; for a patch with the kind, place and nth of its item. */
export interface SealedPlace {
  readonly part: Part;
  readonly writer: string;
  readonly seq: number;
  readonly item?: { readonly kind: string; readonly place: number; readonly nth: number };
}
type Part = "body" | "head" | "patch";

export interface OpenedContent {
  /** Not parsed. */
  readonly content: Content;
  /** The size as JSON, or of the caller's bytes. */
  readonly bytes: number;
  readonly extras: Extras;
}
/** Texts that are encrypted together with a content. */
type Extras = readonly (string | null)[];

const PARTS: readonly Part[] = ["body", "head", "patch"];
const VERSION = 0x10;
const IS_BYTES = 0x04;
const PART_BITS = 0x03;
const KEY_BYTES = 8;
const HEADER_BYTES = 1 + KEY_BYTES;

/** One byte with the form of the content, the id of its key, and the rest as `sealBytes` returns it. */
export function sealContent(
  key: DataKey,
  place: SealedPlace,
  content: Content,
  extras: Extras = [],
): Buffer {
  const header = Buffer.allocUnsafe(HEADER_BYTES);
  const form = typeof content === "string" ? 0 : IS_BYTES;
  header[0] = VERSION | form | PARTS.indexOf(place.part);
  header.write(key.id, 1, "hex");
  const texts = Buffer.from(extras.length > 0 ? JSON.stringify(extras) : "");
  const length = Buffer.allocUnsafe(2);
  length.writeUInt16BE(texts.length);
  const bytes = typeof content === "string" ? Buffer.from(content) : content;
  return sealBytes(key.secret, toText(place), header, Buffer.concat([length, texts, bytes]));
}

/** The id of the key that decrypts it; undefined if it is not encrypted. */
export function keyIdOf(stored: unknown): string | undefined {
  if (!(stored instanceof Uint8Array) || stored.length < HEADER_BYTES) return undefined;
  for (let n = 1; n < HEADER_BYTES; n += 1) {
    if (stored[n] !== lastHeader[n]) return readKeyId(stored);
  }
  return lastKeyId;
}

/** Contents that are read together mostly have the same key, so the last id is cached. */
const lastHeader = new Uint8Array(HEADER_BYTES);
let lastKeyId = "00".repeat(KEY_BYTES);

function readKeyId(stored: Uint8Array): string {
  for (let n = 1; n < HEADER_BYTES; n += 1) lastHeader[n] = stored[n] ?? 0;
  lastKeyId = Buffer.from(stored.buffer, stored.byteOffset + 1, KEY_BYTES).toString("hex");
  return lastKeyId;
}

export function partOf(stored: unknown): Part | undefined {
  return stored instanceof Uint8Array ? PARTS[(stored[0] ?? 0) & PART_BITS] : undefined;
}

/**
 * Throws if the content was altered, moved from another place, or not encrypted. `key` is the opened key that the
 * content names; undefined if it is unknown.
 */
export function openContent(
  key: DataKey | undefined,
  stored: unknown,
  place: SealedPlace,
): OpenedContent {
  if (!key || !(stored instanceof Uint8Array) || partOf(stored) !== place.part) throw cannotOpen();
  const plain = openBytes(key.secret, toText(place), HEADER_BYTES, stored);
  const start = 2 + plain.readUInt16BE();
  const isBytes = ((stored[0] ?? 0) & IS_BYTES) !== 0;
  return {
    content: isBytes ? new Uint8Array(plain.subarray(start)) : decodeText(plain, start),
    bytes: plain.length - start,
    extras: start > 2 ? parseExtras(plain.toString("utf8", 2, start)) : [],
  };
}

export function parseOpened(content: Content): unknown {
  return typeof content === "string" ? JSON.parse(content) : content;
}

function parseExtras(text: string): Extras {
  if (text === lastExtras.text) return lastExtras.parsed;
  const parsed: unknown = JSON.parse(text);
  if (!Array.isArray(parsed)) throw cannotOpen();
  lastExtras = { text, parsed: parsed.map((each) => (typeof each === "string" ? each : null)) };
  return lastExtras.parsed;
}

/** Events that are read together mostly have the same actor, so the last texts are cached. */
let lastExtras: { readonly text: string; readonly parsed: Extras } = { text: "[]", parsed: [] };

function toText({ part, writer, seq, item }: SealedPlace): string {
  const where = `${part}\0${writer}\0${seq}`;
  return item ? `${where}\0${item.kind}\0${item.place}\0${item.nth}` : where;
}
