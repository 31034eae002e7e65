import type { Shown } from "../cut-pages.ts";
import { countWithin } from "../page-rules.ts";
import type { FeedEvent, FeedPage, StreamStore } from "../stream-store.ts";
import { isRingKind } from "./key-entry.ts";
import type { KeyRing } from "./key-ring.ts";
import { cannotOpen } from "./seal-bytes.ts";
import { keyIdOf } from "./sealed-content.ts";
import { withRoom } from "./sealed-texts.ts";
import type { StreamOpener } from "./stream-opener.ts";

/** The decrypted feed of the inner store, without the entries of the key ring. */
export function sealedFeed(
  store: StreamStore,
  ring: KeyRing,
  opener: StreamOpener,
): StreamStore["readFeed"] {
  async function show(page: FeedPage): Promise<Shown<FeedEvent>[]> {
    const visible = page.events.filter(({ kind }) => !isRingKind(kind));
    await ring.load(new Set(visible.flatMap(({ data }) => keyIdOf(data) ?? [])));
    return visible.flatMap((event) => {
      // Its stream was purged meanwhile, and its key destroyed.
      const key = opener.ownKey(event.data);
      if (!key) return [];
      if (key.writer !== event.stream) throw cannotOpen();
      const { item, bytes } = opener.showEvent(event, key);
      return { item: { ...item, key: ring.hashes.openKey(event.key) }, bytes };
    });
  }

  return async (query) => {
    if (query.after === null) return store.readFeed(query);
    const pages: ReadPage[] = [];
    const shown: Shown<FeedEvent>[] = [];
    for (let { after } = query; ; ) {
      const limit = query.limit - shown.length;
      const page = await store.readFeed(withRoom({ ...query, after, limit }));
      const more = await show(page);
      pages.push({ after, page });
      shown.push(...more);
      // If events were left out, more may follow: a page is filled as far as possible.
      if (more.length === page.events.length || shown.length >= query.limit) break;
      after = page.cursor;
    }
    const items = shown.map(({ item }) => item);
    const sizes = shown.map(({ bytes }) => bytes ?? 0);
    const fitting = countWithin(sizes, query.bytes ?? Number.POSITIVE_INFINITY);
    const last = items[fitting - 1];
    const newest = pages.at(-1)?.page.events.at(-1);
    // Only the inner store knows the cursor after the last event that is shown.
    const isInside = last && (fitting < items.length || newest?.hash !== last.hash);
    const cursor = isInside ? await findCursor(pages, last) : null;
    if (cursor !== null) return { events: items.slice(0, fitting), cursor };
    return { events: items, cursor: pages.at(-1)?.page.cursor ?? query.after };
  };

  /** Null if some of the events were purged meanwhile. */
  async function findCursor(pages: readonly ReadPage[], last: FeedEvent): Promise<string | null> {
    for (const { after, page } of pages) {
      const place = page.events.findIndex(({ hash }) => hash === last.hash);
      if (place < 0) continue;
      const cut = await store.readFeed({ after, limit: place + 1 });
      if (cut.events.at(-1)?.hash === last.hash) return cut.cursor;
    }
    return null;
  }
}

interface ReadPage {
  readonly after: string;
  readonly page: FeedPage;
}
