import { formatDuration, formatDurationShort } from "../time/format-duration.ts";
import type { Frame } from "../time/frame.ts";
import type { Tick, TickUnit } from "../time/ticks.ts";
import { PaddedSvg } from "./padded-svg.tsx";

/** Days, pauses and times have a line each, because they would overlap on a phone. */
const HEIGHT = 47;
const day = new Intl.DateTimeFormat(undefined, { month: "short", day: "numeric" });
const FORMATS = {
  ms: new Intl.DateTimeFormat(undefined, {
    hour: "numeric",
    minute: "2-digit",
    second: "2-digit",
    fractionalSecondDigits: 3,
  }),
  second: new Intl.DateTimeFormat(undefined, { timeStyle: "medium" }),
  minute: new Intl.DateTimeFormat(undefined, { timeStyle: "short" }),
  day,
} as const satisfies Record<TickUnit, Intl.DateTimeFormat>;

/** The time axis above all sessions. */
export function Axis({ frame, ticks }: { readonly frame: Frame; readonly ticks: readonly Tick[] }) {
  const { width, scale, offset } = frame;
  return (
    <PaddedSvg width={width} height={HEIGHT}>
      {ticks.map((tick) => (
        <g key={tick.time}>
          <path d={`M${tick.x},${HEIGHT - 6}v6`} className="stroke-faint" />
          <text x={tick.x + 3} y={HEIGHT - 8} className="fill-soft text-[11px] tabular-nums">
            {FORMATS[tick.unit].format(tick.time)}
          </text>
          {tick.isNewDay && tick.unit !== "day" && (
            <text x={tick.x + 3} y={11} className="fill-ink text-[11px] font-medium">
              {day.format(tick.time)}
            </text>
          )}
        </g>
      ))}
      {scale.pieces.map(({ isBreak, from, to, x0, x1 }) =>
        isBreak && x1 - x0 >= 24 && x1 > offset && x0 < offset + width ? (
          <text
            key={from}
            x={(x0 + x1) / 2 - offset}
            y={HEIGHT - 22}
            textAnchor="middle"
            className="fill-faint text-[10px]"
          >
            <title>{`Nothing happened for ${formatDuration(to - from)}`}</title>
            {formatDurationShort(to - from)}
          </text>
        ) : null,
      )}
    </PaddedSvg>
  );
}
