import { Link, Outlet, useNavigate } from "@tanstack/react-router";
import { useEffect } from "react";
import { goToLogin, onTokenChange } from "../api/browser-token.ts";
import { useCounts } from "../api/use-counts.ts";
import { NotifyQuestions } from "../inbox/notify-questions.ts";
import { LiveProvider, useLive } from "../live/live.tsx";
import { useIsOnline } from "../live/use-is-away.ts";
import { Preferences } from "./preferences.tsx";
import { ShortcutHelp } from "./shortcut-help.tsx";
import { useShortcut } from "./shortcuts.ts";

const PLACES = [
  { to: "/", name: "Sessions", key: "g s", counted: "badge" },
  { to: "/inbox", name: "Inbox", key: "g i", counted: "waiting" },
  { to: "/recovery", name: "Recovery", key: "g r", counted: undefined },
  { to: "/past", name: "Timeline", key: "g t", counted: undefined },
  { to: "/numbers", name: "Insights", key: "g n", counted: undefined },
] as const;

/** The frame around every page except the login. */
export function Frame() {
  return (
    <LiveProvider>
      <LeaveWhenLoggedOut />
      <NotifyQuestions />
      <a
        href="#main"
        className="sr-only z-50 focus:not-sr-only focus:absolute focus:bg-panel focus:p-3"
      >
        Skip to content
      </a>
      <div className="flex h-full flex-col md:flex-row">
        <Places />
        <div className="flex min-h-0 min-w-0 flex-1 flex-col">
          <ConnectionBanner />
          <main id="main" tabIndex={-1} className="min-h-0 flex-1 overflow-y-auto outline-none">
            <Outlet />
          </main>
        </div>
      </div>
      <ShortcutHelp />
    </LiveProvider>
  );
}

/** Below on a phone, where the thumb is; at the side if there is room. */
function Places() {
  const counts = useCounts().data;
  const navigate = useNavigate();
  useShortcut("g m", "Go to Import", () => void navigate({ to: "/import" }));
  useShortcut("g d", "Go to Trash", () => void navigate({ to: "/trash" }));
  return (
    <nav
      aria-label="Pages"
      className="order-last flex shrink-0 items-center border-line bg-panel max-md:border-t md:order-first md:w-48 md:flex-col md:items-stretch md:gap-1 md:border-r md:p-3"
    >
      <Link to="/" className="mb-3 flex items-center gap-2 px-2 py-1 font-semibold max-md:hidden">
        <img src="/assets/belay.svg" alt="" className="size-6" /> Belay
      </Link>
      {PLACES.map(({ to, name, key, counted }) => (
        <Place key={to} to={to} name={name} keys={key} number={counted && counts?.[counted]} />
      ))}
      <div className="max-md:ml-auto md:mt-auto">
        <Preferences />
      </div>
    </nav>
  );
}

interface PlaceProps {
  readonly to: (typeof PLACES)[number]["to"];
  readonly name: string;
  readonly keys: string;
  readonly number: number | undefined;
}

function Place({ to, name, keys, number = 0 }: PlaceProps) {
  const navigate = useNavigate();
  useShortcut(keys, `Go to ${name}`, () => void navigate({ to }));
  return (
    <Link
      to={to}
      activeOptions={{ exact: true, includeSearch: false }}
      className="flex items-center justify-between gap-1 rounded-md text-soft hover:bg-raised hover:text-ink relative max-md:min-h-12 max-md:flex-1 max-md:items-end max-md:justify-center max-md:pb-1.5 max-md:text-xs max-[22.5rem]:text-[10px] md:px-2 md:py-1.5"
      activeProps={{ className: "bg-raised !text-ink font-medium" }}
    >
      {name}
      {number > 0 && (
        <span
          className={`min-w-5 rounded-full px-1.5 max-md:absolute max-md:top-0 max-md:left-1/2 max-md:z-10 text-center text-xs leading-5 font-medium ${to === "/inbox" ? "bg-accent text-on-accent" : "bg-raised text-soft"}`}
        >
          {number > 999 ? "999+" : number}
        </span>
      )}
    </Link>
  );
}

function LeaveWhenLoggedOut() {
  const { connection } = useLive();
  useEffect(() => {
    if (connection === "logged out") goToLogin();
  }, [connection]);
  // The login leads back here if another tab has logged in.
  useEffect(() => onTokenChange(goToLogin), []);
  return null;
}

/** Shown if the page may be outdated, and hidden while all is well. */
function ConnectionBanner() {
  const { connection, why } = useLive();
  const isOnline = useIsOnline();
  const said = isOnline
    ? SAID[connection]
    : "This device is offline. The page shows the last known state.";
  return (
    <div role="status" aria-live="polite">
      {said && (
        <p className="border-b border-line bg-warn-soft px-4 py-1.5 text-center text-sm text-warn">
          {said} {why}
        </p>
      )}
    </div>
  );
}

const SAID = {
  connecting: null,
  live: null,
  reconnecting: "The server does not answer. Reconnecting …",
  "logged out": "This browser is logged out. The page is not updated.",
  broken: "The page is not updated:",
} as const satisfies Record<ReturnType<typeof useLive>["connection"], string | null>;
