import type { Frame } from "./frame.ts";
import type { Piece } from "./scale.ts";

/** Narrower ones would cover more than they say. */
const SEEN_PX = 4;
const COVERS_PX = 10;

/** Lie over the bars: what is under them went on, but nothing happened. */
export function Breaks({ frame, height }: { readonly frame: Frame; readonly height: number }) {
  const { scale, offset, width } = frame;
  return scale.pieces
    .filter(({ isBreak, x0, x1 }) => isBreak && x1 > offset && x0 < offset + width)
    .filter(({ x0, x1 }) => x1 - x0 >= SEEN_PX)
    .map((piece) => <Break key={piece.from} piece={piece} offset={offset} height={height} />);
}

interface Props {
  readonly piece: Piece;
  readonly offset: number;
  readonly height: number;
}

function Break({ piece, offset, height }: Props) {
  const [x0, x1] = [piece.x0 - offset, piece.x1 - offset];
  const covers = x1 - x0 >= COVERS_PX;
  const edges = covers ? [x0 + 0.5, x1 - 0.5] : [(x0 + x1) / 2];
  return (
    <g className="pointer-events-none">
      {covers && (
        <rect x={x0} y="0" width={x1 - x0} height={height} className="fill-page" opacity="0.78" />
      )}
      <path
        d={edges.map((x) => `M${x},0V${height}`).join("")}
        className="stroke-line [stroke-dasharray:2_3]"
      />
    </g>
  );
}
