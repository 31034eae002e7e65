import type { InfiniteData, QueryClient } from "@tanstack/react-query";
import type { Output } from "../../../src/contract/operations.ts";
import type { Session } from "../../../src/contract/session.ts";
import { ApiError } from "../api/api-error.ts";
import { call } from "../api/call.ts";
import type { Filters } from "./filters.ts";
import { fits, listInput } from "./list-input.ts";
import {
  addChange,
  type Change,
  countNewer,
  joinPages,
  mergeSessions,
  NO_CHANGE,
  refreshSessions,
} from "./merge-sessions.ts";
import { add, pendingOf } from "./pending-sessions.ts";

export type ListPage = Output<"list">;
type ListData = InfiniteData<ListPage, string | null>;
type Work = (rows: readonly Session[], isWhole: boolean) => readonly Session[];

export const PAGE = 100;
const GATHER_MS = 300;
/** The number of sessions that are read one by one in one round. */
const ROUND = 20;
/** The number of parallel requests: a browser has six connections to a server, and commands need one too. */
const AT_ONCE = 3;

interface ListKeeper {
  /** Processes the events so far, and all later ones. */
  start(): void;
  stop(): void;
  /** Applies the changes that were held back while someone read further down. */
  release(): void;
  /** Applies the user's own change at once. */
  take(change: Change): Promise<void>;
}

/** Keeps a loaded list up to date by reading only the changed sessions. */
export function openList(
  queries: QueryClient,
  filters: Filters,
  isAtTop: () => boolean,
  onHeld: (newer: number) => void,
): ListKeeper {
  const queryKey = ["sessions", filters];
  const pending = pendingOf(JSON.stringify(filters));
  const belongs = (session: Session) => fits(session, filters);
  let held = NO_CHANGE;
  let timer: ReturnType<typeof setTimeout> | null = null;
  let isRunning = false;
  let isStopped = true;

  const read = () => queries.getQueryData<ListData>(queryKey);

  /** A page that is being loaded overwrites changes made meanwhile, so changes wait for it. */
  const untilRead = async (): Promise<void> => {
    while (queries.isFetching({ queryKey, exact: true }) > 0) await pause(50);
  };
  const change = async (work: Work): Promise<void> => {
    await untilRead();
    queries.setQueryData<ListData>(queryKey, (data) => data && rewrite(data, work));
  };

  /** Changes by others wait while someone reads further down; a session that the user removed disappears at once. */
  const workIn = async (news: Change, isOwn = false): Promise<void> => {
    if (isAtTop()) {
      const all = addChange(held, news);
      held = NO_CHANGE;
      onHeld(0);
      return change((rows, isWhole) => mergeSessions(rows, all, isWhole, belongs));
    }
    held = addChange(held, news);
    const own = new Set(isOwn ? news.sessions.map(({ session_id }) => session_id) : []);
    await change((rows) =>
      refreshSessions(rows, held).filter((row) => !own.has(row.session_id) || belongs(row)),
    );
    const data = read();
    if (!data) return;
    const rows = joinPages(data.pages);
    onHeld(countNewer(rows, mergeSessions(rows, held, isWholeIn(data), belongs), held));
  };

  const readAnew = async (): Promise<void> => {
    pending.ids.clear();
    pending.isTooMuch = false;
    const first = await readFirst(filters).catch(() => null);
    if (first === null) {
      pending.isTooMuch = true;
      return;
    }
    held = NO_CHANGE;
    onHeld(0);
    await untilRead();
    queries.setQueryData<ListData>(queryKey, { pages: [first], pageParams: [null] });
  };

  /** Returns true if every requested session was answered. */
  const lookAt = async (): Promise<boolean> => {
    if (pending.isTooMuch) {
      // A reader further down is not moved; the list is read again when they scroll up.
      if (isAtTop()) await readAnew();
      else onHeld(Number.POSITIVE_INFINITY);
      return !pending.isTooMuch;
    }
    const isMuch = pending.ids.size > ROUND;
    const top = isMuch ? (await readFirst(filters)).sessions : [];
    const seen = new Set(top.map(({ session_id }) => session_id));
    const ids = [...pending.ids].filter((id) => !seen.has(id)).slice(0, ROUND);
    for (const id of [...ids, ...seen]) pending.ids.delete(id);
    try {
      await workIn(addChange({ sessions: top, gone: [] }, await askFor(ids)));
      return true;
    } catch {
      for (const id of [...ids, ...seen]) pending.ids.add(id);
      return false;
    }
  };

  /** Failed reads are retried with the next event, or when the server is back. */
  const plan = (): void => {
    if (timer !== null || isRunning || isStopped) return;
    timer = setTimeout(async () => {
      timer = null;
      isRunning = true;
      const isDone = await lookAt().catch(() => false);
      isRunning = false;
      if (isDone && pending.ids.size > 0) plan();
    }, GATHER_MS);
  };

  return {
    start() {
      isStopped = false;
      pending.onMore = plan;
      // A cached list that was not followed all the time may be outdated.
      pending.isTooMuch ||= !pending.isFollowed && read() !== undefined;
      pending.isFollowed = true;
      if (pending.ids.size > 0 || pending.isTooMuch) plan();
    },
    stop() {
      isStopped = true;
      if (timer !== null) clearTimeout(timer);
      timer = null;
      pending.onMore = null;
      // Applied when the reader comes back.
      for (const id of [...held.sessions.map(({ session_id }) => session_id), ...held.gone]) {
        add(pending, id);
      }
    },
    release() {
      if (pending.isTooMuch) void readAnew();
      else if (held !== NO_CHANGE) void workIn(NO_CHANGE);
    },
    take: (own) => workIn(own, true),
  };
}

/** Puts the rows into one page; the cursor of the next page stays. */
function rewrite(data: ListData, work: Work): ListData {
  const sessions = [...work(joinPages(data.pages), isWholeIn(data))];
  const damaged = data.pages.flatMap((page) => page.damaged);
  const next_cursor = data.pages.at(-1)?.next_cursor ?? null;
  return { pages: [{ sessions, damaged, next_cursor }], pageParams: [null] };
}

function isWholeIn({ pages }: ListData): boolean {
  return pages.at(-1)?.next_cursor === null;
}

function readFirst(filters: Filters): Promise<ListPage> {
  return call("list", { ...listInput(filters), limit: PAGE });
}

async function askFor(ids: readonly string[]): Promise<Change> {
  const sessions: Session[] = [];
  const gone: string[] = [];
  const left = [...ids];
  const work = async (): Promise<void> => {
    for (let id = left.shift(); id !== undefined; id = left.shift()) {
      await call("get", { id }).then(
        (session) => sessions.push(session),
        (error: unknown) => {
          // An unreadable session does not keep the others from being shown.
          if (!(error instanceof ApiError) || error.status === 401) throw error;
          if (error.status === 404) gone.push(id);
        },
      );
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return { sessions, gone };
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
