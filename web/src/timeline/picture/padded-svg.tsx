import type { ReactNode } from "react";

/** Padding on both sides, so that shapes at the first and last moment are fully visible. */
export const PAD_PX = 10;

interface Props {
  readonly width: number;
  readonly height: number;
  /** Without a label it is decorative. */
  readonly label?: string;
  readonly children: ReactNode;
}

export function PaddedSvg({ width, height, label, children }: Props) {
  const wide = width + 2 * PAD_PX;
  return (
    // biome-ignore lint/a11y/noSvgWithoutTitle: it has a label, or is hidden; a title would be a second tooltip
    <svg
      {...(label === undefined ? { "aria-hidden": true } : { role: "img", "aria-label": label })}
      width={wide}
      height={height}
      viewBox={`${-PAD_PX} 0 ${wide} ${height}`}
      className="block overflow-hidden"
    >
      {children}
    </svg>
  );
}
