import { useNavigate } from "@tanstack/react-router";
import {
  type KeyboardEvent,
  type ReactNode,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from "react";
import type { SessionSpans } from "../../../../src/contract/past.ts";
import { useShortcut } from "../../shell/shortcuts.ts";
import { describeAloud, describeSpan } from "../spans/describe-span.ts";
import type { Item } from "../spans/items.ts";
import type { Tracks } from "../spans/lay-tracks.ts";
import { STEP_KEYS, stepFocus } from "../spans/step-focus.ts";
import { panBy, reveal, zoomAt, zoomTo } from "../time/frame.ts";
import type { Stretch } from "../time/stretches.ts";
import { findTicks, localOffset } from "../time/ticks.ts";
import { Axis } from "./axis.tsx";
import { FOCUS_ID } from "./focus-ring.tsx";
import { PAD_PX } from "./padded-svg.tsx";
import { SessionTracks, type SpanActions } from "./session-tracks.tsx";
import { type Shown, SpanDetails } from "./span-details.tsx";
import { useView } from "./use-view.ts";
import { ZoomButtons } from "./zoom-buttons.tsx";

interface DrawnSession {
  readonly session: SessionSpans;
  readonly laid: Tracks;
}

interface Props {
  readonly label: string;
  readonly sessions: readonly DrawnSession[];
  readonly stretches: readonly Stretch[];
  readonly width: number;
  readonly gutter: number;
  readonly now: number;
  /** The content above a session's lines. */
  heading(session: SessionSpans): ReactNode;
  /** Content next to the buttons. */
  readonly options: ReactNode;
}

/** Waits for a second click, which has another meaning. */
const DOUBLE_CLICK_MS = 220;

/** All sessions below one time axis. The picture has the focus as a whole; keys move a ring through the items. */
export function Picture(props: Props) {
  const { label, sessions, stretches, width, gutter, now, heading, options } = props;
  const surface = useRef<HTMLDivElement>(null);
  const navigate = useNavigate();
  const { frame, view, setView, marked, wasDragged, handlers } = useView(
    surface,
    stretches,
    width,
    gutter,
  );
  const [shown, setShown] = useState<Shown | null>(null);
  const [focusKey, setFocusKey] = useState<string | null>(null);
  const clicked = useRef<ReturnType<typeof setTimeout>>(undefined);
  const touches = useRef(false);

  const ticks = useMemo(() => findTicks(frame, localOffset), [frame]);
  const lines = useMemo(
    () => sessions.flatMap(({ laid }) => laid.tracks.map(({ items }) => items)),
    [sessions],
  );
  const focused = useMemo(() => find(lines, focusKey), [lines, focusKey]);

  const open = ({ session_id, span }: Item): void =>
    void navigate({ to: "/s/$id", params: { id: session_id }, search: { at: span.seq } });
  const enlarge = (items: readonly Item[]): void => {
    clearTimeout(clicked.current);
    setShown(null);
    const from = Math.min(...items.map((item) => item.from));
    const to = items.reduce((last, item) => Math.max(last, Math.min(item.to, now)), from);
    setView(zoomTo(frame, { from: from - 5, to: Math.max(to, from) + 5 }));
  };
  const latest = useRef({ open, enlarge, wasDragged });
  useLayoutEffect(() => {
    latest.current = { open, enlarge, wasDragged };
  });
  // Stable for the lifetime of the picture, so that pointing at something does not redraw everything.
  const actions = useMemo<SpanActions>(
    () => ({
      point(items, anchor) {
        if (touches.current) return;
        setShown(items && anchor ? { items, anchor, stays: false } : null);
      },
      choose(items, anchor) {
        const [first] = items;
        if (!first || latest.current.wasDragged()) return;
        clearTimeout(clicked.current);
        if (touches.current) {
          return setShown({ items, anchor, stays: true });
        }
        if (items.length > 1) return latest.current.enlarge(items);
        clicked.current = setTimeout(() => latest.current.open(first), DOUBLE_CLICK_MS);
      },
      enlarge: (items) => latest.current.enlarge(items),
    }),
    [],
  );

  // Beside the ring after every step; what a pointer had shown is elsewhere once the window has moved.
  // biome-ignore lint/correctness/useExhaustiveDependencies: it follows the window
  useLayoutEffect(() => {
    const ring = focused && document.getElementById(FOCUS_ID);
    if (!ring || document.activeElement !== surface.current) return setShown(null);
    ring.scrollIntoView({ block: "nearest" });
    setShown({ items: [focused], anchor: ring.getBoundingClientRect(), stays: false });
  }, [focused, view]);
  useEffect(() => {
    const hide = () => setShown((it) => (it && document.getElementById(FOCUS_ID) ? it : null));
    window.addEventListener("scroll", hide, { capture: true, passive: true });
    return () => window.removeEventListener("scroll", hide, { capture: true });
  }, []);

  const zoom = (factor: number): void => setView(zoomAt(frame, factor, width / 2));
  const pan = (share: number): void => setView(panBy(frame, width * share));
  useShortcut("+", "Zoom in", () => zoom(2));
  useShortcut("-", "Zoom out", () => zoom(0.5));
  useShortcut("0", "Show the whole timeline", () => setView(null));
  useShortcut("ArrowLeft", "Scroll to earlier", () => pan(-0.25));
  useShortcut("ArrowRight", "Scroll to later", () => pan(0.25));

  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
    if (event.target !== event.currentTarget) return;
    const step = STEP_KEYS.find((key) => key === event.key);
    if (step) {
      const next = stepFocus(lines, focusKey, step);
      if (next) setView(reveal(frame, view, { from: next.from, to: Math.min(next.to, now) }));
      setFocusKey(next?.key ?? null);
    } else if (event.key === "Enter" && focused) open(focused);
    else if (event.key === "z" && focused) enlarge([focused]);
    else if (event.key === "Escape") {
      setShown(null);
      setFocusKey(null);
    } else return;
    event.preventDefault();
  };

  return (
    <>
      <div className="mb-2 flex flex-wrap items-center gap-2">
        <ZoomButtons isWhole={view === null} zoom={zoom} pan={pan} showAll={() => setView(null)} />
        {options}
      </div>
      <Patterns />
      {/* biome-ignore lint/a11y/useSemanticElements: no element means a picture one can move through */}
      <div
        ref={surface}
        role="group"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: keys move through what is drawn
        tabIndex={0}
        aria-label={`${label}. Arrow keys move the selection. Enter opens it in the conversation. The table below has the same data.`}
        className="relative touch-pan-y rounded-md select-none"
        {...handlers}
        onPointerDown={(event) => {
          touches.current = event.pointerType === "touch";
          setShown(null);
          handlers.onPointerDown(event);
        }}
        onKeyDown={onKeyDown}
        onBlur={() => setShown((it) => (it?.stays ? it : null))}
      >
        <div
          className="sticky top-0 z-10 overflow-x-clip border-b border-line bg-page"
          style={{ paddingLeft: gutter - PAD_PX }}
        >
          <Axis frame={frame} ticks={ticks} />
        </div>
        {sessions.map(({ session, laid }, nth) => (
          <div
            key={session.session_id}
            className={nth === 0 ? "pt-3" : "mt-2 border-t border-line pt-2"}
          >
            {heading(session)}
            <SessionTracks
              label={`${session.title ?? session.session_id}: ${session.spans.length} entries`}
              laid={laid}
              frame={frame}
              ticks={ticks}
              gutter={gutter}
              now={now}
              isActive={session.status === "active"}
              focused={focused?.session_id === session.session_id ? focused : null}
              actions={actions}
            />
          </div>
        ))}
        {marked && (
          <div
            className="pointer-events-none absolute inset-y-0 border-x border-accent bg-accent/15"
            style={{ left: gutter + marked.from, width: marked.to - marked.from }}
          />
        )}
      </div>
      <p className="sr-only" role="status">
        {focused && shown ? describeAloud(describeSpan(focused, now)) : ""}
      </p>
      {shown && <SpanDetails shown={shown} now={now} onOpen={open} onEnlarge={enlarge} />}
    </>
  );
}

function find(lines: readonly (readonly Item[])[], key: string | null): Item | null {
  if (key === null) return null;
  for (const line of lines) {
    const found = line.find((item) => item.key === key);
    if (found) return found;
  }
  return null;
}

/** Hatching means unknown; dots mean waiting for a person. */
function Patterns() {
  return (
    <svg width="0" height="0" className="absolute" aria-hidden="true">
      <defs>
        <pattern
          id="belay-hatch"
          width="6"
          height="6"
          patternUnits="userSpaceOnUse"
          patternTransform="rotate(45)"
        >
          <rect width="6" height="6" className="fill-warn-soft" />
          <rect width="2.5" height="6" className="fill-warn" />
        </pattern>
        <pattern id="belay-dots" width="5" height="5" patternUnits="userSpaceOnUse">
          <rect width="5" height="5" className="fill-accent-soft" />
          <circle cx="2.5" cy="2.5" r="1.1" className="fill-accent" />
        </pattern>
      </defs>
    </svg>
  );
}
