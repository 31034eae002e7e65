import type { ListingDeclaration } from "../../contract/stream.ts";
import type { ContentSealer, SealedWriter } from "../content-sealer.ts";
import { isSealed, RING_OWNER } from "../is-sealed.ts";
import type { StreamStore } from "../stream-store.ts";
import { entryRef, newKeyId } from "./key-entry.ts";
import { type DataKey, KeyRing } from "./key-ring.ts";
import type { LoadMasterKeys } from "./master-key.ts";
import { sealBody, sealHead, sealPatch } from "./seal-parts.ts";
import { codingOf } from "./sealed-blobs.ts";
import { SealedTexts } from "./sealed-texts.ts";

const AT_ONCE = 200;

/**
 * Creates a key for each writer that has none, in this order, and returns what encrypts their contents. The ring is
 * created if the store has none.
 */
export async function prepareCopy(
  store: StreamStore,
  options: { readonly load: LoadMasterKeys; readonly declared: ListingDeclaration },
  writers: readonly SealedWriter[],
  now: number,
): Promise<ContentSealer> {
  const isBegun = await isSealed(store);
  const ring = await (isBegun ? KeyRing.open(store, options) : KeyRing.create(store, options));
  const keys = isBegun ? await findKeys(store, ring) : new Map<string, DataKey>();
  const keyOf = (writer: string): DataKey => {
    const key = keys.get(writer);
    if (!key) throw new Error(`there is no key for ${writer}`);
    return key;
  };
  await ring.ensureOwners(new Set(writers.map(({ owner }) => owner)));
  const missing = writers.filter(({ writer }) => !keys.has(writer));
  for (let start = 0; start < missing.length; start += AT_ONCE) {
    const appends = missing.slice(start, start + AT_ONCE).map(({ writer, owner, base }) => {
      const under = base && { key: keyOf(base.writer).id, seq: base.seq };
      const entry = ring.newDataKey(newKeyId(), { writer, owner, base: under }, now);
      keys.set(writer, entry.key);
      return entry.append;
    });
    const streams = appends.map(({ create }) => entryRef(create?.key ?? ""));
    await store.transact({ streams, decide: () => ({ appends }) });
  }
  const texts = new SealedTexts(ring.hashes, options.declared);
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

/** The keys in the ring, by writer. */
async function findKeys(store: StreamStore, ring: KeyRing): Promise<Map<string, DataKey>> {
  const keys = new Map<string, DataKey>();
  const query = { kind: "key", owner: RING_OWNER, filter: {}, limit: 500 } as const;
  for (let after: string | null | undefined; after !== null; ) {
    const page = await store.list({ ...query, ...(after !== undefined && { after }) });
    await ring.load(page.streams.map(({ key }) => key));
    for (const { key: id } of page.streams) {
      const key = ring.find(id);
      if (key) keys.set(key.writer, key);
    }
    after = page.next;
  }
  return keys;
}
