import { useSyncExternalStore } from "react";

/** The breakpoints md and lg of Tailwind. */
const WIDTHS = {
  md: window.matchMedia("(min-width: 48rem)"),
  lg: window.matchMedia("(min-width: 64rem)"),
} as const;

/** True if the window is at least that wide. */
export function useIsWide(width: keyof typeof WIDTHS): boolean {
  return useSyncExternalStore(
    (listen) => {
      WIDTHS[width].addEventListener("change", listen);
      return () => WIDTHS[width].removeEventListener("change", listen);
    },
    () => WIDTHS[width].matches,
  );
}
