import { useRef, useState } from "react";
import { useWidth } from "../timeline/picture/use-measured.ts";
import type { Bar } from "./day-spans.ts";

const HEIGHT = 160;
const BELOW = 20;
const LEFT = 32;
const WIDEST = 48;
const day = new Intl.DateTimeFormat(undefined, {
  month: "short",
  day: "numeric",
  timeZone: "UTC",
});

/** The number of sessions started per day. */
export function DayChart({ bars }: { readonly bars: readonly Bar[] }) {
  const box = useRef<HTMLDivElement>(null);
  const width = useWidth(box) ?? 0;
  const [pointed, setPointed] = useState<Bar | null>(null);
  const most = Math.max(1, ...bars.map(({ count }) => count));
  const top = niceAbove(most);
  const each = Math.max(0, width - LEFT) / Math.max(1, bars.length);
  const tall = HEIGHT - BELOW - 8;
  const said = pointed ?? bars.find(({ count }) => count === most) ?? null;
  return (
    <div>
      <p className="mb-2 text-sm text-soft tabular-nums">
        {said && said.count > 0
          ? `${pointed ? "" : "Most: "}${formatCountOf(said)} ${formatDays(said)}`
          : "None"}
      </p>
      <div ref={box} className="overflow-x-clip">
        <svg
          role="img"
          aria-label={`Sessions per day, ${bars.length} bars. The table below has the same numbers.`}
          width={width}
          height={HEIGHT}
          className="block overflow-hidden"
          onPointerLeave={() => setPointed(null)}
        >
          {[0, top / 2, top]
            .filter((line) => Number.isInteger(line))
            .map((line) => {
              const y = 8 + tall * (1 - line / top);
              return (
                <g key={line}>
                  <path d={`M${LEFT},${y}H${width}`} className="stroke-line" />
                  <text
                    x={LEFT - 6}
                    y={y}
                    textAnchor="end"
                    dominantBaseline="central"
                    className="fill-faint text-[11px] tabular-nums"
                  >
                    {line}
                  </text>
                </g>
              );
            })}
          {bars.map((bar, nth) => {
            const x = LEFT + nth * each;
            const high = (bar.count / top) * tall;
            const wide = Math.min(WIDEST, Math.max(1, each * 0.76));
            return (
              <g key={bar.to} onPointerEnter={() => setPointed(bar)}>
                <rect x={x} y="0" width={each} height={HEIGHT - BELOW} fill="transparent" />
                <rect
                  x={x + (each - wide) / 2}
                  y={8 + tall - high}
                  width={wide}
                  height={high}
                  rx={Math.min(2, each / 4)}
                  className={bar === pointed ? "fill-accent" : "fill-info"}
                />
              </g>
            );
          })}
          {labeled(bars, each).map(({ bar, x, anchor }) => (
            <text
              key={bar.to}
              x={LEFT + x}
              y={HEIGHT - 5}
              textAnchor={anchor}
              className="fill-faint text-[11px]"
            >
              {day.format(Date.parse(bar.to))}
            </text>
          ))}
        </svg>
      </div>
      <DayTable bars={bars} />
    </div>
  );
}

function DayTable({ bars }: { readonly bars: readonly Bar[] }) {
  return (
    <details className="mt-2">
      <summary className="inline-block min-h-9 py-1.5 text-sm font-medium text-soft hover:text-ink">
        Show as a table
      </summary>
      <table className="mt-1 text-left text-sm">
        <thead className="text-xs text-faint">
          <tr>
            <th className="py-1 pr-6">Day (UTC)</th>
            <th className="py-1 text-right">Sessions</th>
          </tr>
        </thead>
        <tbody>
          {bars
            .filter(({ count }) => count > 0)
            .reverse()
            .map((bar) => (
              <tr key={bar.to} className="border-t border-line tabular-nums">
                <td className="py-1 pr-6">
                  {bar.from === bar.to ? bar.to : `${bar.from} to ${bar.to}`}
                </td>
                <td className="py-1 text-right">{bar.count}</td>
              </tr>
            ))}
        </tbody>
      </table>
    </details>
  );
}

function formatCountOf({ count }: Bar): string {
  return count === 1 ? "1 session" : `${count} sessions`;
}

function formatDays({ from, to }: Bar): string {
  const last = day.format(Date.parse(to));
  return from === to ? `on ${last}` : `from ${day.format(Date.parse(from))} to ${last}`;
}

/** As many labels as fit next to each other, always including today's. */
function labeled(bars: readonly Bar[], each: number) {
  const every = Math.max(1, Math.ceil(70 / Math.max(1, each)));
  return bars.flatMap((bar, nth) => {
    const back = bars.length - 1 - nth;
    if (back % every !== 0 || (nth + 0.5) * each < 20) return [];
    const anchor = back === 0 && each < 40 ? ("end" as const) : ("middle" as const);
    return [{ bar, anchor, x: back === 0 && each < 40 ? (nth + 1) * each : (nth + 0.5) * each }];
  });
}

/** The next number that is easy to halve and read. */
function niceAbove(most: number): number {
  const unit = 10 ** Math.floor(Math.log10(most));
  const steps = [1, 2, 4, 6, 8, 10].map((n) => n * unit);
  return Math.max(2, steps.find((n) => n >= most) ?? 10 * unit);
}
