import { invalidCursor } from "./page-rules.ts";
import type { ListPage, ListQuery } from "./stream-store.ts";

/**
 * Builds one page of a banded list from pages without bands. The cursor names the band in which the
 * next page starts. A full page at the end of its band has a next page only if a later band has
 * entries.
 */
export function listBands(query: ListQuery, list: (query: ListQuery) => ListPage): ListPage {
  const walk = walkBands(query);
  let step = walk.next();
  while (!step.done) step = walk.next(list(step.value));
  return step.value;
}

/** Returns the first entries of a page that was read. */
export type CutPage = (limit: number) => ListPage;

/** The same for a store that reads the pages of several queries at once. */
export async function listBandsAtOnce(
  query: ListQuery,
  read: (queries: readonly ListQuery[]) => Promise<readonly CutPage[]>,
): Promise<ListPage> {
  const { bands, after: given, ...plain } = query;
  const start = !bands || given === undefined ? START : readCursor(given, bands.length);
  const queries = bands?.slice(start.band).map((band, nth) => ({
    ...plain,
    filter: { ...plain.filter, ...band },
    ...(nth === 0 && start.after !== "" && { after: start.after }),
  }));
  const pages = (await read(queries ?? [query])).values();
  return listBands(query, ({ limit }) => pages.next().value?.(limit) ?? NOTHING);
}

const NOTHING: ListPage = { streams: [], damaged: [], next: null };

/** Yields the next query to run, and receives its page. */
function* walkBands(query: ListQuery): Generator<ListQuery, ListPage, ListPage> {
  const { bands, after: given, ...plain } = query;
  if (!bands) return yield query;
  let { band, after } = given === undefined ? START : readCursor(given, bands.length);
  const streams: ListPage["streams"][number][] = [];
  const damaged = new Map<string, ListPage["damaged"][number]>();
  const answer = (next: string | null) => ({ streams, damaged: [...damaged.values()], next });
  for (;;) {
    const room = plain.limit - streams.length;
    const filter = { ...plain.filter, ...bands[band] };
    const page = yield {
      ...plain,
      filter,
      limit: Math.max(room, 1),
      ...(after !== "" && { after }),
    };
    const isFull = streams.length + damaged.size >= plain.limit;
    if (isFull && page.streams.length + page.damaged.length > 0) return answer(`${band}.`);
    streams.push(...page.streams);
    for (const one of page.damaged) damaged.set(one.id, one);
    if (page.next !== null) return answer(`${band}.${page.next}`);
    band += 1;
    after = "";
    if (band === bands.length) return answer(null);
  }
}

const START = { band: 0, after: "" };

function readCursor(cursor: string, bands: number): typeof START {
  const [, band, after = ""] = /^(\d)\.(.*)$/s.exec(cursor) ?? [];
  if (band !== undefined && Number(band) < bands) return { band: Number(band), after };
  throw invalidCursor(cursor);
}
