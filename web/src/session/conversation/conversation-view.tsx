import { useVirtualizer } from "@tanstack/react-virtual";
import {
  type RefObject,
  useCallback,
  useEffect,
  useEffectEvent,
  useLayoutEffect,
  useRef,
  useState,
} from "react";
import { Button } from "../../ui/button.tsx";
import type { LogState, SessionLog } from "../log/session-log.ts";
import { EntryView } from "./entry-view.tsx";

/** The number of rows from an end at which more are loaded. */
const NEAR = 15;
/** A reader this close to the end wants to follow new content. */
const AT_END_PX = 80;
const GUESSED_PX = 72;

interface ConversationViewProps {
  readonly log: SessionLog;
  readonly state: LogState;
  /** The event to scroll to. */
  readonly at: number | null;
  /** The number of messages sent from here; the sender wants to see the answer. */
  readonly sent: number;
  onBackToNewest(): void;
}

/** The loaded part of a conversation; only the visible rows are rendered. */
export function ConversationView({ log, state, at, sent, onBackToNewest }: ConversationViewProps) {
  const { conversation, older, newer } = state;
  const { rows, order } = conversation;
  const scroller = useRef<HTMLElement>(null);
  const isLive = newer === "none";
  // Another function whenever rows have come, gone or moved: measurements are looked up anew then.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the rows are the same list, in another order
  const keyOf = useCallback((index: number) => `${rows[index]?.key ?? index}`, [rows, order]);
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    getItemKey: keyOf,
    estimateSize: () => GUESSED_PX,
    overscan: 8,
    gap: 8,
    paddingStart: 16,
    paddingEnd: 16,
    // Content added above does not move the visible part; the code below keeps it at the end.
    anchorTo: "end",
    scrollEndThreshold: -1,
  });
  useSticking(scroller, isLive);

  const wanted = at === null ? null : conversation.indexOf(at);
  const hasArrived = useArrival(at, () => {
    if (wanted === null) virtual.scrollToEnd();
    else virtual.scrollToIndex(wanted, { align: "start" });
  });

  const goToEnd = useEffectEvent(() => virtual.scrollToEnd());
  useEffect(() => {
    if (sent > 0) goToEnd();
  }, [sent]);

  const items = virtual.getVirtualItems();
  const [first, last] = [items[0]?.index ?? 0, items.at(-1)?.index ?? 0];
  useEffect(() => {
    if (!hasArrived) return;
    if (older === "more" && first < NEAR) void log.loadOlder();
    if (newer === "more" && last > rows.length - NEAR) void log.loadNewer();
  }, [hasArrived, older, newer, first, last, rows.length, log]);

  const isAtEnd = rows.length === 0 || virtual.isAtEnd(AT_END_PX);
  const hasNews = useNews(conversation.newest, isAtEnd);
  return (
    <div className="relative min-h-0 flex-1">
      <section
        ref={scroller}
        aria-label="Conversation"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
        tabIndex={0}
        className="absolute inset-0 overflow-y-auto overscroll-contain -outline-offset-2 [overflow-anchor:none]"
      >
        <h2 className="sr-only">Conversation</h2>
        <div className="relative mx-auto max-w-4xl" style={{ height: virtual.getTotalSize() }}>
          {items.map(({ key, index, start }) => {
            const row = rows[index];
            if (!row) return null;
            return (
              <div
                key={key}
                ref={virtual.measureElement}
                data-index={index}
                data-seq={row.entry.seq ?? undefined}
                style={{ transform: `translateY(${start}px)` }}
                className={`absolute top-0 left-0 w-full px-4 ${index === wanted ? "aimed" : ""}`}
              >
                <EntryView entry={row.entry} at={row.key} />
              </div>
            );
          })}
        </div>
      </section>
      <Above state={state} onRetry={() => void log.loadOlder()} />
      <div className="pointer-events-none absolute inset-x-0 bottom-3 flex justify-center">
        {isLive && !isAtEnd && (
          <Button
            look={hasNews ? "primary" : "plain"}
            className="pointer-events-auto !rounded-full shadow-lg"
            onClick={() => virtual.scrollToEnd()}
          >
            <span aria-hidden>↓</span> {hasNews ? "New messages" : "Go to the end"}
          </Button>
        )}
        {!isLive && (
          <Button className="pointer-events-auto !rounded-full shadow-lg" onClick={onBackToNewest}>
            <span aria-hidden>↓</span> Go to the newest
          </Button>
        )}
      </div>
    </div>
  );
}

/** Stays at the end while content or the window grows, until the reader scrolls up. */
function useSticking(scroller: RefObject<HTMLElement | null>, isLive: boolean): void {
  const known = useRef({ sticks: false, top: 0, size: "" });
  // Other scroll listeners may run first, so it compares the state itself.
  const stick = (): void => {
    const element = scroller.current;
    if (!element) return;
    const { scrollTop, scrollHeight, clientHeight } = element;
    const { sticks, top, size: before } = known.current;
    const size = `${scrollHeight} ${clientHeight}`;
    const left = scrollHeight - clientHeight - scrollTop;
    const isBack = scrollTop > top && left < AT_END_PX;
    // The position also decreases if a row turns out shorter than estimated, which is not the reader scrolling.
    const isLeaving = scrollTop < top && size === before;
    const keeps = left <= 2 || isBack || (sticks && !isLeaving);
    known.current = { sticks: keeps, top: scrollTop, size };
    if (!isLive || !keeps || left <= 2) return;
    element.scrollTop = scrollHeight;
    known.current.top = element.scrollTop;
  };
  const keep = useEffectEvent(stick);
  useLayoutEffect(stick);
  useEffect(() => {
    const element = scroller.current;
    if (!element) return;
    const look = (): void => keep();
    const resized = new ResizeObserver(look);
    resized.observe(element);
    element.addEventListener("scroll", look, { passive: true });
    // A reader who opens something wants to read it, not the content after it.
    const release = (): void => {
      known.current.sticks = false;
    };
    element.addEventListener("click", release, { capture: true });
    return () => {
      resized.disconnect();
      element.removeEventListener("scroll", look);
      element.removeEventListener("click", release, { capture: true });
    };
  }, [scroller]);
}

/** Measuring the rows around the start takes a few frames. */
const SETTLE_MS = 300;

/** Scrolls to the requested place once it is loaded. Returns true when it has arrived. */
function useArrival(at: number | null, go: () => void): boolean {
  const [arrived, setArrived] = useState<number | null>();
  const leave = useEffectEvent(go);
  useLayoutEffect(() => {
    leave();
    const timer = setTimeout(() => setArrived(at), SETTLE_MS);
    return () => clearTimeout(timer);
  }, [at]);
  return arrived === at;
}

/** True if something new has come since the reader was at the end. */
function useNews(newest: number, isAtEnd: boolean): boolean {
  const [seen, setSeen] = useState(newest);
  useEffect(() => {
    if (isAtEnd) setSeen(newest);
  }, [isAtEnd, newest]);
  return newest > seen && !isAtEnd;
}

function Above({ state, onRetry }: { readonly state: LogState; onRetry(): void }) {
  if (state.older !== "loading" && state.older !== "failed") return null;
  return (
    <div
      role="status"
      className="pointer-events-none absolute inset-x-0 top-2 flex justify-center text-xs text-soft"
    >
      <span className="pointer-events-auto flex items-center gap-2 rounded-full border border-line bg-panel px-3 py-1 shadow">
        {state.older === "loading"
          ? "Loading earlier messages …"
          : "Earlier messages could not be loaded."}
        {state.older === "failed" && (
          <button type="button" onClick={onRetry} className="font-medium text-accent underline">
            Try again
          </button>
        )}
      </span>
    </div>
  );
}
