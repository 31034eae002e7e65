import type { FeedLine } from "../../../src/contract/operations/past-operations.ts";

/** Sessions with events that a list has not processed yet. */
interface Pending {
  readonly ids: Set<string>;
  /** Set if too many sessions changed to read each: the list is read again. */
  isTooMuch: boolean;
  /** True if all events since the list was first shown were collected. */
  isFollowed: boolean;
  onMore: (() => void) | null;
}

/** More sessions than this are not read one by one. */
const MOST = 100;
/** The number of lists that are kept up to date; others are read again. */
const KEPT_LISTS = 12;

const lists = new Map<string, Pending>();
let stop: (() => void) | null = null;

/**
 * Listens from the first list on, also while another page is shown, so that a list is still correct when one returns to
 * it.
 */
export function gatherPending(listen: (listener: (line: FeedLine) => void) => () => void): void {
  stop?.();
  stop = listen(({ kind, id, type }) => {
    // An agent's text does not change a list.
    if (kind !== "session" || type === "turn.part") return;
    for (const pending of lists.values()) add(pending, id);
  });
}

/** The pending sessions of a list. */
export function pendingOf(name: string): Pending {
  const pending = lists.get(name) ?? {
    ids: new Set(),
    isTooMuch: false,
    isFollowed: false,
    onMore: null,
  };
  // Moved to the end, so that the list that was unused longest is dropped first.
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
