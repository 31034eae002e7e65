import { useEffect, useRef, useState } from "react";
import type { Approval } from "../../../src/contract/session.ts";

/** A sentence on what has come since the page was opened, for those who do not see it come. */
export function useArrivals(approvals: readonly Approval[] | undefined): string {
  const known = useRef<ReadonlySet<string> | null>(null);
  const [said, setSaid] = useState("");
  useEffect(() => {
    if (!approvals) return;
    const before = known.current;
    known.current = new Set([...(before ?? []), ...approvals.map((one) => one.approval_id)]);
    if (!before) return;
    const fresh = approvals.filter((one) => !before.has(one.approval_id));
    const [first] = fresh;
    if (first)
      setSaid(fresh.length === 1 ? `New: ${first.title}` : `${fresh.length} new questions`);
  }, [approvals]);
  return said;
}
