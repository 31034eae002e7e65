import { Link } from "@tanstack/react-router";
import { exactTime } from "../../ui/time-ago.tsx";
import type { Entry } from "../log/entry.ts";
import { useConversation } from "./conversation-context.ts";

const clock = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit" });
const day = new Intl.DateTimeFormat(undefined, { month: "short", day: "numeric" });

/** The time of an entry, as a link to it. */
export function TimeOf({ entry: { at, seq } }: { readonly entry: Pick<Entry, "at" | "seq"> }) {
  const { sessionId } = useConversation();
  if (at === null || seq === null) return null;
  const iso = new Date(at).toISOString();
  if (sessionId === null) {
    return (
      <time dateTime={iso} title={exactTime(iso)} className="shrink-0 text-xs text-faint">
        {shortTime(at)}
      </time>
    );
  }
  return (
    <Link
      to="/s/$id"
      params={{ id: sessionId }}
      search={{ at: seq }}
      title={`${exactTime(iso)}, event ${seq}`}
      className="shrink-0 text-xs text-faint tabular-nums hover:text-ink hover:underline"
    >
      <span className="sr-only">Link to this message, </span>
      <time dateTime={iso}>{shortTime(at)}</time>
    </Link>
  );
}

function shortTime(at: number): string {
  const isToday = new Date(at).toDateString() === new Date().toDateString();
  return isToday ? clock.format(at) : `${day.format(at)}, ${clock.format(at)}`;
}

/** A duration that can be read at a glance. */
export function formatSpan(ms: number): string {
  if (ms < 1000) return `${Math.max(0, Math.round(ms))} ms`;
  const seconds = ms / 1000;
  if (seconds < 60) return `${seconds.toFixed(seconds < 10 ? 1 : 0)} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ${Math.round(seconds % 60)} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
