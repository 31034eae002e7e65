const HOUR = 3_600_000;
const DAY = 24 * HOUR;
/** Clocks of several computers and small corrections differ by less. */
const TOLERANCE = HOUR;
/** Longer without any write is seldom, and a clock that was set ahead looks like it. */
const MOST_QUIET = 30 * DAY;

interface ClockEvidence {
  /** When anything was written last; null: never. */
  readonly newest_write: number | null;
  /** When a server has last written down that it runs, since this machine started; null: not since then. */
  readonly served_at: number | null;
  /** Since this machine started, by a clock that nobody can set. */
  readonly machine_up_ms: number;
}

/** Why the clock may be wrong; null where nothing speaks against it. */
export function judgeClock(now: number, evidence: ClockEvidence): string | null {
  const { newest_write, served_at, machine_up_ms } = evidence;
  if (newest_write !== null && newest_write > now + TOLERANCE) {
    return `the newest entry is from ${day(newest_write)}, which is later`;
  }
  if (served_at !== null && served_at < now - machine_up_ms - TOLERANCE) {
    return `a server ran at ${day(served_at)}, and this computer was not restarted since, but has run for ${Math.floor(machine_up_ms / HOUR)} hours only`;
  }
  if (newest_write !== null && now - newest_write > MOST_QUIET) {
    return `nothing was written since ${day(newest_write)}`;
  }
  return null;
}

function day(time: number): string {
  return new Date(time).toISOString().slice(0, 16);
}
