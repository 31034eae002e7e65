const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** In the two largest units that matter. */
export function formatDuration(ms: number): string {
  if (ms < SECOND) return `${Math.round(ms)} ms`;
  if (ms < 10 * SECOND) return `${(ms / SECOND).toFixed(1)} s`;
  if (ms < MINUTE) return `${Math.floor(ms / SECOND)} s`;
  if (ms < HOUR) return twoOf(ms, MINUTE, "min", SECOND, "s");
  if (ms < DAY) return twoOf(ms, HOUR, "h", MINUTE, "min");
  return twoOf(ms, DAY, "d", HOUR, "h");
}

/** For places with room for three or four letters. */
export function formatDurationShort(ms: number): string {
  if (ms < MINUTE) return `${Math.round(ms / SECOND)}s`;
  if (ms < HOUR) return `${Math.round(ms / MINUTE)}m`;
  return ms < 2 * DAY ? `${Math.round(ms / HOUR)}h` : `${Math.round(ms / DAY)}d`;
}

function twoOf(ms: number, large: number, name: string, small: number, second: string): string {
  const rest = Math.floor((ms % large) / small);
  return `${Math.floor(ms / large)} ${name}${rest > 0 ? ` ${rest} ${second}` : ""}`;
}
