import { readEvents } from "../read-streams.ts";
import type {
  FeedEvent,
  ListQuery,
  NamedPlace,
  StoredEvent,
  StoredStream,
  StreamStore,
} from "../stream-store.ts";

export async function readLog(store: StreamStore, id: string, limit = 50): Promise<StoredEvent[]> {
  return turnPages(0, async (after: number) => {
    const page = await readEvents(store, id, { after, limit });
    return { items: page, next: page.at(-1)?.seq ?? null };
  });
}

export async function readList(store: StreamStore, query: ListQuery): Promise<StoredStream[]> {
  return turnPages(query.after, async (after: string | undefined) => {
    const page = await store.list({ ...query, ...(after !== undefined && { after }) });
    return { items: page.streams, next: page.next };
  });
}

export async function readNames(
  store: StreamStore,
  owner: string,
  name: string,
  limit: number,
): Promise<NamedPlace[]> {
  return turnPages(undefined, async (after: string | undefined) => {
    const page = { limit, ...(after !== undefined && { after }) };
    const places = await store.findByName(owner, name, page);
    return { items: places, next: places.at(-1)?.cursor ?? null };
  });
}

/** Up to the current end of the feed. */
export async function turnFeed(store: StreamStore, from: string, limit: number) {
  return turnPages(from, async (after: string) => {
    const { events, cursor } = await store.readFeed({ after, limit });
    const items: readonly FeedEvent[] = events;
    return { items, next: events.length > 0 ? cursor : null };
  });
}

async function turnPages<T, Cursor>(
  start: Cursor,
  turn: (after: Cursor) => Promise<{ items: readonly T[]; next: Cursor | null }>,
): Promise<T[]> {
  const all: T[] = [];
  const seen = new Set<Cursor>();
  for (let after: Cursor | null = start; after !== null; ) {
    // A repeated cursor would read the same pages forever.
    if (seen.has(after)) throw new Error(`the page after ${after} leads back to itself`);
    seen.add(after);
    const { items, next }: { items: readonly T[]; next: Cursor | null } = await turn(after);
    all.push(...items);
    after = next;
  }
  return all;
}
