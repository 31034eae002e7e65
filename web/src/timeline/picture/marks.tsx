import { endedAbruptly } from "../spans/looks.ts";
import type { Drawn } from "./draw-lane.ts";

/** A checkpoint is a diamond, a recovery a ring with an arrow; several are shown as their number. */
export function Mark({ drawn, y }: { readonly drawn: Drawn; readonly y: number }) {
  const [first] = drawn.items;
  if (!first) return null;
  const x = drawn.x0;
  const recovery = drawn.items.find(({ span }) => span.kind === "recovery");
  const count = drawn.items.length;
  return (
    <>
      {recovery ? (
        <RecoveryMark x={x} y={y} asks={recovery.span.status !== "ok"} />
      ) : (
        <CheckpointMark x={x} y={y} />
      )}
      {count > 1 && (
        <text
          x={x + 9}
          y={y}
          dominantBaseline="central"
          className="pointer-events-none fill-soft text-[10px]"
        >
          {count}
        </text>
      )}
    </>
  );
}

export function CheckpointMark({ x, y }: { readonly x: number; readonly y: number }) {
  return <path d={`M${x},${y - 6}l6,6l-6,6l-6,-6z`} className="fill-ink" />;
}

export function RecoveryMark({
  x,
  y,
  asks,
}: {
  readonly x: number;
  readonly y: number;
  readonly asks: boolean;
}) {
  const look = asks ? "stroke-accent" : "stroke-good";
  return (
    <>
      <path
        d={`M${x + 5},${y - 2}a5.5,5.5 0 1 0 0.3,3.5`}
        className={`fill-none stroke-2 ${look}`}
      />
      <path d={`M${x + 5.8},${y - 6.5}v5h-5`} className={`fill-none stroke-2 ${look}`} />
    </>
  );
}

interface LifeProps {
  readonly drawn: Drawn;
  readonly y: number;
  readonly height: number;
  readonly isOpen: boolean;
}

/** A thin line with a dot at the start of the process, and at its end a bar, or a cross if the end was unexpected. */
export function Life({ drawn, y, height, isOpen }: LifeProps) {
  const last = drawn.items.at(-1);
  if (!last) return null;
  const middle = y + height / 2;
  const isAbrupt = drawn.items.some(({ span }) => endedAbruptly(span.status));
  return (
    <>
      <path d={`M${drawn.x0},${middle}H${drawn.x1}`} className="stroke-soft stroke-[1.5]" />
      <circle cx={drawn.x0} cy={middle} r="3" className="fill-soft" />
      {isOpen || <LifeEnd x={drawn.x1} y={middle} isAbrupt={isAbrupt} />}
    </>
  );
}

export function LifeEnd({
  x,
  y,
  isAbrupt,
}: {
  readonly x: number;
  readonly y: number;
  readonly isAbrupt: boolean;
}) {
  return isAbrupt ? (
    <path d={`M${x - 4},${y - 4}l8,8m0,-8l-8,8`} className="fill-none stroke-bad stroke-2" />
  ) : (
    <path d={`M${x},${y - 5}v10`} className="fill-none stroke-soft stroke-2" />
  );
}
