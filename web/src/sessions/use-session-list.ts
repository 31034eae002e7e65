import { keepPreviousData, useInfiniteQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useEffectEvent, useMemo, useState } from "react";
import { call } from "../api/call.ts";
import { useLive } from "../live/live.tsx";
import type { Filters } from "./filters.ts";
import { listInput } from "./list-input.ts";
import { type Change, joinPages } from "./merge-sessions.ts";
import { type ListPage, openList, PAGE } from "./open-list.ts";
import { gatherPending } from "./pending-sessions.ts";

/** The time that someone may spend in a session before they return. */
const KEPT_MS = 30 * 60_000;

/** The sessions of a list, page by page, kept up to date. */
export function useSessionList(filters: Filters, isAtTop: () => boolean) {
  const queries = useQueryClient();
  const { listen, connection } = useLive();
  const query = useInfiniteQuery({
    queryKey: ["sessions", filters],
    queryFn: ({ pageParam, signal }): Promise<ListPage> =>
      call(
        "list",
        { ...listInput(filters), limit: PAGE, ...(pageParam && { cursor: pageParam }) },
        signal,
      ),
    initialPageParam: "",
    getNextPageParam: ({ next_cursor }) => next_cursor,
    placeholderData: keepPreviousData,
    gcTime: KEPT_MS,
    // Comparing ten thousand rows with themselves takes longer than rendering them.
    structuralSharing: false,
  });

  const [newer, setNewer] = useState(0);
  const isTop = useEffectEvent(isAtTop);
  const keeper = useMemo(
    () => openList(queries, filters, () => isTop(), setNewer),
    [queries, filters],
  );
  useEffect(() => gatherPending(listen), [listen]);
  useEffect(() => {
    setNewer(0);
    keeper.start();
    return () => keeper.stop();
  }, [keeper]);
  const tryAgain = useEffectEvent(() => {
    if (query.isFetchNextPageError) void query.fetchNextPage();
    else if (query.isError) void query.refetch();
  });
  useEffect(() => {
    if (connection !== "live") return;
    keeper.start();
    tryAgain();
  }, [keeper, connection]);

  const pages = query.data?.pages;
  const rows = useMemo(() => joinPages(pages ?? []), [pages]);
  const damaged = useMemo(() => (pages ?? []).flatMap((page) => page.damaged), [pages]);
  return {
    rows,
    damaged,
    query,
    /** The number of sessions that are held back while someone reads further down. */
    newer,
    release: () => keeper.release(),
    take: (change: Change) => keeper.take(change),
  };
}

export type SessionList = ReturnType<typeof useSessionList>;
