import type { SessionHead } from "../contract/head.ts";

export type CleanupVerdict =
  | { readonly remove: true; readonly reason?: "expired" }
  | { readonly remove: false; readonly because: string | null };

/**
 * Decides if a session without activity since `before` may be removed. `because` names the reason
 * that protects an old one.
 */
export function judgeCleanup(head: SessionHead, before: number, driven: boolean): CleanupVerdict {
  const since = Math.max(head.updated_at, head.undeleted_at ?? 0);
  if (head.deleted || since >= before) return { remove: false, because: null };
  if (head.status === "archived") return { remove: false, because: "archived" };
  if (head.pinned) return { remove: false, because: "pinned" };
  if (driven) return { remove: false, because: "driven" };
  if (head.approvals.length > 0) return { remove: false, because: "waits for an approval" };
  return { remove: true };
}
