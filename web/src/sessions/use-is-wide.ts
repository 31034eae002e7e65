import { useSyncExternalStore } from "react";

/** Where Tailwind's md begins. */
const wide = window.matchMedia("(min-width: 48rem)");

export function useIsWide(): boolean {
  return useSyncExternalStore(
    (listen) => {
      wide.addEventListener("change", listen);
      return () => wide.removeEventListener("change", listen);
    },
    () => wide.matches,
  );
}
