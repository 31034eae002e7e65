import type { ListingDeclaration } from "../../contract/stream.ts";
import type { ContentSealer, SealedWriter } from "../content-sealer.ts";
import type { StreamStore } from "../stream-store.ts";
import { entryRef, newKeyId } from "./key-entry.ts";
import type { DataKey, KeyRing } from "./key-ring.ts";
import { sealBody, sealHead, sealPatch } from "./seal-parts.ts";
import { codingOf } from "./sealed-blobs.ts";
import { SealedTexts } from "./sealed-texts.ts";

const AT_ONCE = 200;

/** Creates a key for each writer, in this order, and returns what encrypts their contents. */
export async function prepareCopy(
  store: StreamStore,
  ring: KeyRing,
  writers: readonly SealedWriter[],
  declared: ListingDeclaration,
  now: number,
): Promise<ContentSealer> {
  const keys = new Map<string, DataKey>();
  const keyOf = (writer: string): DataKey => {
    const key = keys.get(writer);
    if (!key) throw new Error(`there is no key for ${writer}`);
    return key;
  };
  await ring.ensureOwners(new Set(writers.map(({ owner }) => owner)));
  for (let start = 0; start < writers.length; start += AT_ONCE) {
    const appends = writers.slice(start, start + AT_ONCE).map(({ writer, owner, base }) => {
      const under = base && { key: keyOf(base.writer).id, seq: base.seq };
      const entry = ring.newDataKey(newKeyId(), { writer, owner, base: under }, now);
      keys.set(writer, entry.key);
      return entry.append;
    });
    const streams = appends.map(({ create }) => entryRef(create?.key ?? ""));
    await store.transact({ streams, decide: () => ({ appends }) });
  }
  const texts = new SealedTexts(ring.hashes, declared);
  const { hashes } = ring;
  return {
    streamKey: (key) => hashes.sealKey(key),
    name: (owner, name) => hashes.name(owner, name),
    rowKey: (kind, key) => (key === null ? null : hashes.rowKey(kind, key)),
    listing: (listing) => texts.toListing(listing),
    idempotency: (given) => hashes.idempotency(given),
    body: (writer, event, body) => sealBody(keyOf(writer), writer, event, body),
    patch: (writer, patch) => sealPatch(keyOf(writer), writer, patch),
    head: (place, head) => sealHead(keyOf(place.writer), place, head),
    blob: (writer) => codingOf(keyOf(writer), hashes),
  };
}
