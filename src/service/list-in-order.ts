import { BelayError, refuse } from "../contract/errors.ts";
import { LIST_BANDS } from "../core/list-session.ts";
import type { ListPage, ListQuery, StreamStore } from "../store/stream-store.ts";

/** One page of sessions in the order of lists: band after band, within each by last activity. */
export async function listInOrder(store: StreamStore, query: ListQuery): Promise<ListPage> {
  let { band, after } = query.after === undefined ? START : readCursor(query.after);
  const streams: ListPage["streams"][number][] = [];
  const damaged = new Map<string, ListPage["damaged"][number]>();
  for (;;) {
    const page = await store.list({
      kind: query.kind,
      owner: query.owner,
      filter: { ...query.filter, ...LIST_BANDS[band] },
      limit: query.limit - streams.length,
      ...(after !== "" && { after }),
    });
    streams.push(...page.streams);
    for (const one of page.damaged) damaged.set(one.id, one);
    const found = { streams, damaged: [...damaged.values()] };
    if (page.next !== null) return { ...found, next: `${band}.${page.next}` };
    band += 1;
    after = "";
    if (band === LIST_BANDS.length) return { ...found, next: null };
    if (streams.length + damaged.size >= query.limit) {
      return { ...found, next: (await hasMore(store, query, band)) ? `${band}.` : null };
    }
  }
}

/** Whether anything is listed in this band or behind it: a full page at the end of its band has no cursor of the store's. */
async function hasMore(store: StreamStore, query: ListQuery, band: number): Promise<boolean> {
  const { streams, damaged } = await listInOrder(store, { ...query, limit: 1, after: `${band}.` });
  return streams.length + damaged.length > 0;
}

const START = { band: 0, after: "" };

function readCursor(cursor: string): typeof START {
  const [, band, after = ""] = /^(\d)\.(.*)$/s.exec(cursor) ?? [];
  if (LIST_BANDS[Number(band)]) return { band: Number(band), after };
  const message = "Invalid cursor. Use next_cursor from the previous page.";
  throw new BelayError(refuse("invalid_input", message, { cursor }));
}
