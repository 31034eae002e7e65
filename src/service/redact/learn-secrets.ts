import { setImmediate as nextRound } from "node:timers/promises";
import { LIMITS } from "../../contract/limits.ts";
import type { LogEvent } from "../../contract/session.ts";
import { viewEvent } from "../../core/view/view-event.ts";
import { readEvents } from "../../store/read-streams.ts";
import type { StoredEvent, StoredStream, StreamStore } from "../../store/stream-store.ts";
import type { ServiceContext } from "../service-context.ts";
import { redactEvents } from "./redact-events.ts";

/** Less than a page, because looking for secrets takes ten times the memory and time of reading. */
export const SEARCHED_BYTES = LIMITS.PAGE_BYTES / 4;

/** Events of a session, and how they are shown; null for one that is not shown. */
export interface SearchedEvents {
  readonly id: string;
  readonly after: number;
  readonly last: number;
  present(event: LogEvent): LogEvent | null;
}

/** Adds the secrets that are recognised by their context to `learned`, and those of `variables` that occur. */
export async function learnSecrets(
  store: StreamStore,
  events: SearchedEvents,
  learned: Set<string>,
  variables: ServiceContext["variables"] = {},
): Promise<ReadonlySet<string>> {
  const { openRedactor } = await import("../../redaction/open-redactor.ts");
  // A redactor for each page, because a redactor remembers everything that it has hidden.
  await readSearched(store, events, (page) =>
    redactEvents(store, events.id, page, openRedactor(variables, [], learned)),
  );
  return learned;
}

/** Reads page by page, with one page in memory. */
export async function readSearched(
  store: StreamStore,
  { id, after: start, last, present }: SearchedEvents,
  use: (events: LogEvent[]) => Promise<unknown>,
): Promise<void> {
  // A separate function, because a loop that waits still holds its last page.
  const readPage = async (after: number): Promise<number> => {
    const page = { after, limit: Math.min(500, last - after), bytes: SEARCHED_BYTES };
    const read = await readEvents(store, id, page);
    await use(presentAll(read, present));
    return read.at(-1)?.seq ?? last;
  };
  for (let after = start; after < last; ) {
    after = await readPage(after);
    // Looking for secrets in a page takes a while, so other requests get their turn in between.
    await nextRound();
  }
}

export function presentAll(
  events: readonly StoredEvent[],
  present: SearchedEvents["present"],
): LogEvent[] {
  return events.flatMap((event) => present(viewEvent(event)) ?? []);
}

interface Known {
  readonly seq: number;
  readonly learned: Promise<ReadonlySet<string>>;
}

/** The number of sessions whose learned secrets are kept in memory. */
const MOST_KEPT = 20;

/** The secrets of the sessions that were exported last, by id: an export of many pages asks once for each page. */
const kept = new Map<string, Known>();

/** The secrets of a whole session: a password that is recognised in one place is hidden everywhere, on any page. */
export async function learnWhole(
  store: StreamStore,
  { id, seq }: Pick<StoredStream, "id" | "seq">,
): Promise<ReadonlySet<string>> {
  const known = kept.get(id);
  if (known && known.seq >= seq) return known.learned;
  const events = { id, after: known?.seq ?? 0, last: seq, present: (event: LogEvent) => event };
  const before = known?.learned ?? Promise.resolve(new Set<string>());
  const learned = before.then((found) => learnSecrets(store, events, new Set(found)));
  learned.catch(() => kept.delete(id));
  kept.delete(id);
  kept.set(id, { seq, learned });
  const [oldest] = kept.keys();
  if (kept.size > MOST_KEPT && oldest !== undefined) kept.delete(oldest);
  return learned;
}
