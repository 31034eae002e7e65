import { useEffect } from "react";
import { visibleLine } from "../../../src/contract/visible-text.ts";
import { useCounts } from "../api/use-counts.ts";

/** The tab's title, prefixed with the number of waiting questions, which is visible from another tab. */
export function usePageTitle(title: string): void {
  const waiting = useCounts().data?.waiting ?? 0;
  useEffect(() => {
    document.title = `${waiting > 0 ? `(${waiting}) ` : ""}${visibleLine(title)} · Belay`;
  }, [title, waiting]);
}
