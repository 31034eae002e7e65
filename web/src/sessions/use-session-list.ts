import { keepPreviousData, useInfiniteQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useEffectEvent, useMemo, useState } from "react";
import { call } from "../api/call.ts";
import { useLive } from "../live/live.tsx";
import type { Filters } from "./filters.ts";
import { listInput } from "./list-input.ts";
import { type Change, joinPages } from "./merge-sessions.ts";
import { type ListPage, openList, PAGE } from "./open-list.ts";
import { gatherPending } from "./pending-sessions.ts";

/** As long as somebody may be in a session before they come back. */
const KEPT_MS = 30 * 60_000;

/** The sessions of a list, page by page, kept as the server has them. */
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
    // Comparing ten thousand rows with themselves takes longer than showing them.
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
    /** Sessions that are held back while somebody reads further down. */
    newer,
    release: () => keeper.release(),
    take: (change: Change) => keeper.take(change),
  };
}

export type SessionList = ReturnType<typeof useSessionList>;
