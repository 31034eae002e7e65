import type { FeedLine } from "../../../src/contract/operations/past-operations.ts";

/** Sessions in which something has happened that a list has not looked at yet. */
interface Pending {
  readonly ids: Set<string>;
  /** Too much has happened to look at each: the list is read anew. */
  isTooMuch: boolean;
  /** Since its list was looked at first, all of it was gathered. */
  isFollowed: boolean;
  onMore: (() => void) | null;
}

/** More than this is not looked at one by one. */
const MOST = 100;
/** Lists that one comes back to; others are read anew. */
const KEPT_LISTS = 12;

const lists = new Map<string, Pending>();
let stop: (() => void) | null = null;

/**
 * Listens from the first list on, also while another page is shown, so that a list can be come back to as it was left
 * and still be right.
 */
export function gatherPending(listen: (listener: (line: FeedLine) => void) => () => void): void {
  stop?.();
  stop = listen(({ kind, id, type }) => {
    // What an agent says changes nothing that a list shows.
    if (kind !== "session" || type === "turn.part") return;
    for (const pending of lists.values()) add(pending, id);
  });
}

/** Of the list of this name. */
export function pendingOf(name: string): Pending {
  const pending = lists.get(name) ?? {
    ids: new Set(),
    isTooMuch: false,
    isFollowed: false,
    onMore: null,
  };
  // To the end: the one that was looked at longest ago goes first.
  lists.delete(name);
  lists.set(name, pending);
  const [oldest] = lists.keys();
  if (lists.size > KEPT_LISTS && oldest !== undefined) lists.delete(oldest);
  return pending;
}

export function add(pending: Pending, id: string): void {
  if (pending.ids.size < MOST) pending.ids.add(id);
  else pending.isTooMuch = true;
  pending.onMore?.();
}
