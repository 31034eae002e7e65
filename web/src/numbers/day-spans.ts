const DAY_MS = 86_400_000;

/** Dates as the server counts them: in UTC, both ends included. */
export interface DateSpan {
  readonly from?: string;
  readonly to?: string;
}

/** The last days up to today, and the same number before them for comparison; for all time there is nothing before. */
export function spansBack(
  days: number | "all",
  now: number,
): { readonly span: DateSpan; readonly before: DateSpan | null } {
  if (days === "all") return { span: {}, before: null };
  return {
    span: { from: dateOf(now - (days - 1) * DAY_MS) },
    before: {
      from: dateOf(now - (2 * days - 1) * DAY_MS),
      to: dateOf(now - days * DAY_MS),
    },
  };
}

/** One bar of the chart. */
export interface Bar {
  readonly from: string;
  readonly to: string;
  readonly count: number;
}

const MOST_BARS = 100;
const STEPS = [1, 7, 28, 91, 364];

/** Every day of the span, including empty ones; in a long span, several days per bar. */
export function barsOf(
  by_day: Readonly<Record<string, number>>,
  { from }: DateSpan,
  now: number,
): readonly Bar[] {
  const today = dateOf(now);
  const first = [from, ...Object.keys(by_day), today]
    .filter((day) => day !== undefined)
    .reduce((least, day) => (day < least ? day : least), today);
  const length = Math.round((Date.parse(today) - Date.parse(first)) / DAY_MS) + 1;
  const step = STEPS.find((days) => length / days <= MOST_BARS) ?? 364;
  const count = Math.ceil(length / step);
  // The last bar ends today, so the first may start before the span, where nothing was counted.
  return Array.from({ length: count }, (_, nth) => {
    const last = Date.parse(today) - (count - 1 - nth) * step * DAY_MS;
    const days = Array.from({ length: step }, (_day, back) => dateOf(last - back * DAY_MS));
    return {
      from: days.at(-1) ?? today,
      to: dateOf(last),
      count: days.reduce((sum, day) => sum + (by_day[day] ?? 0), 0),
    };
  });
}

function dateOf(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}
