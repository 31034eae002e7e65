const HOUR = 3_600_000;
const DAY = 24 * HOUR;
/** Clocks of different computers, and small corrections of a clock, differ by less than this. */
const TOLERANCE = HOUR;
/** A store is rarely quiet for longer than this, and a clock that was set ahead looks the same. */
const MOST_QUIET = 30 * DAY;

interface ClockEvidence {
  /** The time of the newest write; null if there is none. */
  readonly newest_write: number | null;
  /** The last time a server recorded that it runs, since this machine started; null if none did. */
  readonly served_at: number | null;
  /** Time since this machine started, by the monotonic clock, which cannot be set. */
  readonly machine_up_ms: number;
}

/** The reason why the clock may be wrong; null if there is none. */
export function judgeClock(now: number, evidence: ClockEvidence): string | null {
  const { newest_write, served_at, machine_up_ms } = evidence;
  if (newest_write !== null && newest_write > now + TOLERANCE) {
    return `the newest entry is from ${day(newest_write)}, which is later`;
  }
  if (served_at !== null && served_at < now - machine_up_ms - TOLERANCE) {
    return `a server ran at ${day(served_at)}, and this computer was not restarted since, but has run for only ${Math.floor(machine_up_ms / HOUR)} hours`;
  }
  if (newest_write !== null && now - newest_write > MOST_QUIET) {
    return `nothing was written since ${day(newest_write)}`;
  }
  return null;
}

function day(time: number): string {
  return new Date(time).toISOString().slice(0, 16);
}
