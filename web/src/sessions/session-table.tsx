import { useNavigate } from "@tanstack/react-router";
import { defaultRangeExtractor, useVirtualizer } from "@tanstack/react-virtual";
import {
  type RefObject,
  useCallback,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from "react";
import { Button } from "../ui/button.tsx";
import { explain } from "../ui/states.tsx";
import { useIsWide } from "../ui/use-is-wide.ts";
import { useListKeys } from "./list-keys.ts";
import { placeIn, rememberPlace, TOP_PX } from "./list-places.ts";
import { type MenuPlace, RowMenu } from "./row-menu.tsx";
import { COLUMNS, ROW_HEIGHT, SessionRow } from "./session-row.tsx";
import { count } from "./session-words.ts";
import type { Actions } from "./use-actions.tsx";
import type { SessionList } from "./use-session-list.ts";

/** The next page is loaded when this many rows are left. */
const AHEAD = 60;

const HEADER_HEIGHT = { wide: 32, narrow: 0 } as const;

interface SessionTableProps {
  readonly list: SessionList;
  readonly actions: Actions;
  /** The name of the list, under which its scroll position is stored. */
  readonly name: string;
  readonly isSearch: boolean;
  readonly scroller: RefObject<HTMLDivElement | null>;
}

export function SessionTable({ list, actions, name, isSearch, scroller }: SessionTableProps) {
  const { rows, query, newer, release } = list;
  const width = useIsWide("md") ? "wide" : "narrow";
  const height = ROW_HEIGHT[width];
  const header = HEADER_HEIGHT[width];
  const [current, setCurrent] = useState(() => placeIn(name).current);
  const at = useMemo(
    () => (current === null ? -1 : rows.findIndex(({ session_id }) => session_id === current)),
    [rows, current],
  );
  const [menu, setMenu] = useState<MenuPlace | null>(null);
  const navigate = useNavigate();
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => height,
    overscan: 6,
    // The header is above the first row, and stays above the first visible one.
    scrollMargin: header,
    scrollPaddingStart: header,
    initialOffset: () => placeIn(name).top,
    // The focused row stays rendered, however far one scrolls.
    rangeExtractor: (range) => {
      const shown = defaultRangeExtractor(range);
      return at === -1 || shown.includes(at) ? shown : [...shown, at].sort((a, b) => a - b);
    },
  });
  const items = virtual.getVirtualItems();

  useLayoutEffect(() => {
    void height;
    virtual.measure();
  }, [virtual, height]);

  // Restores the scroll position of a list; its rows are cached, so its length is the same.
  const left = useRef<string | null>(null);
  useLayoutEffect(() => {
    const { top, current: was } = placeIn(name);
    if (scroller.current) scroller.current.scrollTop = top;
    left.current = was;
  }, [name, scroller]);
  useEffect(() => {
    const link = left.current === null || items.length === 0 ? null : linkOf(left.current);
    if (!link) return;
    left.current = null;
    // Not if someone is already typing in the search field.
    if (document.activeElement === document.body) link.focus({ preventScroll: true });
  }, [items]);

  const last = items.at(-1)?.index ?? -1;
  const { hasNextPage, isFetching, isFetchNextPageError, isPlaceholderData, fetchNextPage } = query;
  const wants = hasNextPage && !isPlaceholderData && last >= rows.length - AHEAD;
  useEffect(() => {
    if (wants && !isFetching && !isFetchNextPageError) void fetchNextPage();
  }, [wants, isFetching, isFetchNextPageError, fetchNextPage]);

  const onScroll = (): void => {
    const top = scroller.current?.scrollTop ?? 0;
    rememberPlace(name, { top });
    if (newer > 0 && top < TOP_PX) release();
  };

  const makeCurrent = useCallback(
    (id: string): void => {
      setCurrent(id);
      rememberPlace(name, { current: id });
    },
    [name],
  );
  const open = useCallback(
    (id: string) => void navigate({ to: "/s/$id", params: { id } }),
    [navigate],
  );
  // If the current row disappeared, the row that took its place is next.
  const lastAt = useRef(-1);
  useEffect(() => {
    if (at !== -1) lastAt.current = at;
  }, [at]);
  const placeTo = (by: number): number => {
    if (current === null) return Math.floor((virtual.scrollOffset ?? 0) / height);
    const to = at === -1 ? lastAt.current + Math.min(by, 0) : at + by;
    return Math.min(rows.length - 1, Math.max(0, to));
  };
  const move = (by: number): void => {
    const session = rows[placeTo(by)];
    if (!session) return;
    makeCurrent(session.session_id);
    virtual.scrollToIndex(rows.indexOf(session));
    requestAnimationFrame(() => linkOf(session.session_id)?.focus({ preventScroll: true }));
  };
  useListKeys({ move, current: () => rows[at] ?? null, open });

  return (
    <div className="relative min-h-0 flex-1">
      {newer > 0 && (
        <div
          className="pointer-events-none absolute inset-x-0 top-2 z-20 flex justify-center md:top-10"
          role="status"
        >
          <Button
            look="primary"
            className="pointer-events-auto !rounded-full shadow-lg"
            onClick={() => {
              scroller.current?.scrollTo({ top: 0 });
              release();
            }}
          >
            ↑ {Number.isFinite(newer) ? count(newer, "newer session") : "Many newer sessions"}
          </Button>
        </div>
      )}
      <RowMenu place={menu} onAction={actions.begin} onClose={() => setMenu(null)} />
      <div
        ref={scroller}
        onScroll={onScroll}
        className={`h-full overflow-y-auto overscroll-contain ${isPlaceholderData ? "opacity-60" : ""}`}
      >
        {/* biome-ignore lint/a11y/useSemanticElements: a table's rows cannot be placed one by one */}
        <div
          role="table"
          aria-label="Sessions"
          aria-rowcount={hasNextPage ? -1 : rows.length + 1}
          aria-busy={isFetching}
        >
          <Header />
          {/* biome-ignore lint/a11y/useSemanticElements: as above */}
          <div role="rowgroup" className="relative" style={{ height: virtual.getTotalSize() }}>
            {items.map(({ index, start }) => {
              const session = rows[index];
              return (
                session && (
                  <SessionRow
                    key={session.session_id}
                    session={session}
                    place={index}
                    top={start - header}
                    height={height}
                    isCurrent={session.session_id === current}
                    doing={actions.doing.get(session.session_id)}
                    hasMenu={session.session_id === menu?.session.session_id}
                    onMenu={setMenu}
                    onOpen={open}
                    onDismiss={actions.dismiss}
                    onCurrent={makeCurrent}
                  />
                )
              );
            })}
          </div>
        </div>
        <div
          className="flex min-h-10 items-center justify-center gap-3 px-4 text-sm text-faint"
          role="status"
        >
          {isFetchNextPageError ? (
            <>
              {explain(query.error)}
              <Button onClick={() => void fetchNextPage()}>Try again</Button>
            </>
          ) : hasNextPage ? (
            isSearch ? (
              "Searching older sessions …"
            ) : (
              "Loading older sessions …"
            )
          ) : null}
        </div>
      </div>
    </div>
  );
}

const HEADINGS = [
  ["Status", ""],
  ["Session", ""],
  ["Project", ""],
  ["Task", "max-lg:hidden"],
  ["Turns", "text-right max-lg:hidden"],
  ["Cost", "text-right max-lg:hidden"],
  ["Active", "text-right"],
] as const;

/** Screen readers use it on a phone too, where it is hidden. */
function Header() {
  return (
    // biome-ignore lint/a11y/useSemanticElements: as above
    <div role="rowgroup" className="sticky top-0 z-[15] max-md:sr-only">
      {/* biome-ignore lint/a11y/useSemanticElements: as above */}
      {/* biome-ignore lint/a11y/useFocusableInteractive: nothing is done with it */}
      <div
        role="row"
        aria-rowindex={1}
        className={`h-8 border-b border-line bg-page text-xs font-medium text-faint ${COLUMNS}`}
      >
        {HEADINGS.map(([name, look]) => (
          // biome-ignore lint/a11y/useSemanticElements: as above
          // biome-ignore lint/a11y/useFocusableInteractive: nothing is done with it
          <div key={name} role="columnheader" className={look}>
            {name}
          </div>
        ))}
        {/* biome-ignore lint/a11y/useSemanticElements: as above */}
        {/* biome-ignore lint/a11y/useFocusableInteractive: as above */}
        <div role="columnheader">
          <span className="sr-only">Actions</span>
        </div>
      </div>
    </div>
  );
}

function linkOf(id: string): HTMLElement | null {
  return document.querySelector<HTMLElement>(`[data-session="${CSS.escape(id)}"]`);
}
