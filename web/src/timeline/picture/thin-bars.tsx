import { memo } from "react";
import { crowded } from "./crowded.ts";
import type { Placed } from "./place-shapes.ts";
import { lookOfBar, outOfLine } from "./shape.tsx";

/** Narrower bars have neither rounded corners nor a name. */
const THIN_PX = 8;

export function isThin({ drawn: { x0, x1 }, track: { name } }: Placed): boolean {
  return x1 - x0 < THIN_PX && (name === "actions" || name === "turns");
}

/** Draws all bars of the same style as one path, because there may be thousands. */
export const ThinBars = memo(function ThinBars({ placed }: { readonly placed: readonly Placed[] }) {
  const paths = new Map<string, { look: string; opacity: number; d: string[] }>();
  for (const { drawn, track, y } of placed) {
    const look = lookOfBar(track.name, drawn);
    const opacity = crowded(drawn);
    const key = `${look} ${opacity}`;
    const path = paths.get(key) ?? { look, opacity, d: [] };
    const out = outOfLine(track.name, drawn);
    const wide = Math.max(1.5, drawn.x1 - drawn.x0 - 1);
    const tall = track.barHeight - 1 + 2 * out;
    path.d.push(
      `M${round(drawn.x0 + 0.5)},${round(y + 0.5 - out)}h${round(wide)}v${tall}h${round(-wide)}z`,
    );
    paths.set(key, path);
  }
  return [...paths].map(([key, { look, opacity, d }]) => (
    <path key={key} d={d.join("")} className={look} opacity={opacity} />
  ));
});

function round(px: number): number {
  return Math.round(px * 100) / 100;
}
