import { useSyncExternalStore } from "react";

const wide = window.matchMedia("(min-width: 64rem)");

/** Whether a question has room beside the list. */
export function useWide(): boolean {
  return useSyncExternalStore(
    (listen) => {
      wide.addEventListener("change", listen);
      return () => wide.removeEventListener("change", listen);
    },
    () => wide.matches,
  );
}
