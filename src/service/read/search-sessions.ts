import { setImmediate as nextRound } from "node:timers/promises";
import type { SessionHead } from "../../contract/head.ts";
import { LIMITS } from "../../contract/limits.ts";
import { isSessionHead } from "../../core/session/known-events.ts";
import { LIST_BANDS } from "../../core/session/list-session.ts";
import type { ListPage, ListQuery, StoredStream, StreamStore } from "../../store/stream-store.ts";
import type { FoundSession } from "./find-session.ts";

/** The number of sessions that are read at a time. */
const PAGE = 200;

interface FoundPage {
  readonly found: readonly FoundSession[];
  readonly damaged: ListPage["damaged"];
  readonly next: string | null;
}

type Wanted = (head: SessionHead) => boolean;

/** One page of a list, without the sessions that do not match. */
export async function readPage(
  store: StreamStore,
  query: ListQuery,
  isWanted: Wanted,
): Promise<FoundPage> {
  const { streams, damaged, next } = await store.list({ ...query, bands: LIST_BANDS });
  return { found: filterWanted(streams, isWanted), damaged, next };
}

/**
 * The matching sessions of a list, up to its limit. It reads a limited number, so it may find fewer before the end;
 * `next` continues right after the last one it read.
 */
export async function searchSessions(
  store: StreamStore,
  query: ListQuery,
  isWanted: Wanted,
): Promise<FoundPage> {
  const found: FoundSession[] = [];
  const damaged: ListPage["damaged"][number][] = [];
  let next = query.after ?? null;
  for (let room: number = LIMITS.SEARCHED; room > 0 && found.length < query.limit; ) {
    const asked = { ...query, limit: Math.min(PAGE, room), ...(next !== null && { after: next }) };
    const page = await readUpTo(store, asked, isWanted, query.limit - found.length);
    found.push(...page.found);
    damaged.push(...page.damaged);
    next = page.next;
    if (next === null) break;
    room -= page.looked;
    // Uncached sessions take a while to read, so other requests get their turn in between.
    await nextRound();
  }
  return { found, damaged, next };
}

/** One page of the store, shortened if it has more than `most` matches, because only a page's end has a cursor. */
async function readUpTo(
  store: StreamStore,
  query: ListQuery,
  isWanted: Wanted,
  most: number,
): Promise<FoundPage & { readonly looked: number }> {
  const { streams, damaged, next } = await store.list({ ...query, bands: LIST_BANDS });
  const found = filterWanted(streams, isWanted);
  const last = found[most - 1];
  if (found.length <= most || last === undefined) {
    return { found, damaged, next, looked: streams.length + damaged.length };
  }
  // Read again rather than cut, so that a session that moved meanwhile is on this page or the next, as in any list.
  const limit = streams.indexOf(last.stream) + 1;
  return readUpTo(store, { ...query, limit }, isWanted, most);
}

function filterWanted(streams: readonly StoredStream[], isWanted: Wanted): FoundSession[] {
  const found: FoundSession[] = [];
  for (const stream of streams) {
    const { head } = stream;
    if (isSessionHead(head) && isWanted(head)) found.push({ stream, head });
  }
  return found;
}
