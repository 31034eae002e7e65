import type { Finding } from "../../store-care.ts";
import type { CommitAnchor } from "../disk/commit-anchor.ts";
import type { CommitLog } from "../disk/commit-log.ts";
import type { LeaseLog } from "../disk/lease-log.ts";
import type { StreamIndex } from "./stream-index.ts";

type Missing = Pick<Finding, "what" | "lost_anchor" | "lost_tail">;

/**
 * Compares the logs of commits and leases with everything that names their end: the commits that were read, the anchor and the
 * snapshot. Null if nothing is missing; a torn anchor names nothing.
 */
export function findMissing(
  commits: CommitLog,
  index: StreamIndex,
  leases: LeaseLog,
  anchored: ReturnType<CommitAnchor["read"]>,
): Missing | null {
  if (!commits.isThere(index.tip)) {
    return { what: `the commit that ends at byte ${index.end} of commits.ndjson was changed` };
  }
  if (anchored === "missing") {
    return {
      what: "anchor.txt is missing, so lost commits would not be noticed",
      lost_anchor: true,
    };
  }
  const lost = [anchored === "torn" ? null : anchored, index.lost].find(
    (known) => known && !commits.isThere(known),
  );
  if (lost) {
    const what = `commits.ndjson lacks the acknowledged commit that ended at byte ${lost.end}`;
    return { what, lost_tail: true };
  }
  if (anchored === "torn" || leases.count >= anchored.leases) return null;
  return { what: "leases.ndjson lacks acknowledged changes of leases", lost_tail: true };
}
