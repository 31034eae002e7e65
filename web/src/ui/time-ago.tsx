import { useSyncExternalStore } from "react";

const STEPS = [
  ["day", 86_400_000],
  ["hour", 3_600_000],
  ["minute", 60_000],
] as const;
const words = new Intl.RelativeTimeFormat("en", { numeric: "auto", style: "narrow" });
const exact = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "medium" });

/** The time ago; hovering shows the exact time. */
export function TimeAgo({ at }: { readonly at: string }) {
  const now = useMinute();
  return (
    <time dateTime={at} title={exactTime(at)}>
      {timeAgo(Date.parse(at), now)}
    </time>
  );
}

export function exactTime(at: string): string {
  return exact.format(new Date(at));
}

function timeAgo(at: number, now: number): string {
  const gone = now - at;
  for (const [unit, ms] of STEPS) {
    if (Math.abs(gone) >= ms) return words.format(-Math.round(gone / ms), unit);
  }
  return "now";
}

/** All times on the page are updated together. */
let minute = Date.now();
const listeners = new Set<() => void>();
setInterval(() => {
  minute = Date.now();
  for (const listen of listeners) listen();
}, 30_000);

function useMinute(): number {
  return useSyncExternalStore(
    (listen) => {
      listeners.add(listen);
      return () => listeners.delete(listen);
    },
    () => minute,
  );
}
