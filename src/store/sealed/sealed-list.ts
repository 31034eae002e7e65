import type { ListingDeclaration } from "../../contract/stream.ts";
import { checkFilter } from "../list-rules.ts";
import type { ListPage, ListQuery, StoredStream, StreamStore } from "../stream-store.ts";
import { isRingKind } from "./key-entry.ts";
import type { KeyRing } from "./key-ring.ts";
import { isDamage } from "./seal-bytes.ts";
import { keyIdOf } from "./sealed-content.ts";
import type { SealedTexts } from "./sealed-texts.ts";
import type { StreamOpener } from "./stream-opener.ts";

/** The number of streams that one query reads to find a prefix of keys. */
const STRIDE = 500;

type List = StreamStore["list"];

/**
 * Lists by readable words and by hashes. To find a prefix of keys, it decrypts the key of one stream after the other.
 */
export function sealedList(
  store: StreamStore,
  ring: KeyRing,
  texts: SealedTexts,
  opener: StreamOpener,
  declared: ListingDeclaration,
): List {
  const toInner = (query: ListQuery): ListQuery => ({
    ...query,
    filter: texts.toFilter(query.filter),
    ...(query.bands && { bands: query.bands.map((band) => texts.toFilter(band)) }),
  });

  async function show(page: ListPage): Promise<ListPage> {
    const keys = page.streams.map(({ head }) => keyIdOf(head));
    await ring.load(keys.filter((id) => id !== undefined));
    const streams: StoredStream[] = [];
    const damaged = page.damaged.map(({ id, key }) => ({ id, key: openKey(key) }));
    for (const [n, stream] of page.streams.entries()) {
      try {
        streams.push(opener.showStream(stream, keys[n]));
      } catch (error) {
        if (!isDamage(error)) throw error;
        damaged.push({ id: stream.id, key: openKey(stream.key) });
      }
    }
    return { ...page, streams, damaged };
  }

  function openKey(key: string): string {
    try {
      return ring.hashes.openKey(key);
    } catch {
      return key;
    }
  }

  async function listPrefix(query: ListQuery, prefix: string): Promise<ListPage> {
    const streams: StoredStream[] = [];
    const damaged: ListPage["damaged"][number][] = [];
    let { after } = query;
    for (;;) {
      const inner = { ...toInner(query), limit: STRIDE, ...(after !== undefined && { after }) };
      const page = await store.list(inner);
      const room = query.limit - streams.length;
      const found = page.streams.filter(({ key }) => openKey(key).startsWith(prefix));
      const past = found[room];
      // This stream does not fit, so the page ends before it.
      const limit = past ? page.streams.indexOf(past) : STRIDE;
      const whole = past && limit > 0 ? await store.list({ ...inner, limit }) : page;
      const fitting = past ? found.slice(0, room) : found;
      streams.push(...fitting);
      damaged.push(...whole.damaged.filter(({ key }) => openKey(key).startsWith(prefix)));
      const next = past && limit === 0 ? (after ?? null) : whole.next;
      if (past || next === null) return show({ streams, damaged, next });
      after = next;
    }
  }

  return async (query) => {
    for (const filter of [query.filter, ...(query.bands ?? [])]) checkFilter(filter, declared);
    if (isRingKind(query.kind)) return { streams: [], damaged: [], next: null };
    const { key_prefix: prefix } = query.filter;
    if (typeof prefix === "string") return listPrefix(query, prefix);
    return show(await store.list(toInner(query)));
  };
}
