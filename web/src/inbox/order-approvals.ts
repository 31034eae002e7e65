import type { Approval } from "../../../src/contract/session.ts";

export const ORDERS = ["oldest", "session"] as const;
export type Order = (typeof ORDERS)[number];

type Asked = Pick<Approval, "approval_id" | "session_id" | "requested_at">;

/** The longest waiting question first; by session, all questions of one session together. */
export function orderApprovals<T extends Asked>(approvals: readonly T[], order: Order): T[] {
  const oldest = approvals.toSorted(
    (a, b) =>
      a.requested_at.localeCompare(b.requested_at) || a.approval_id.localeCompare(b.approval_id),
  );
  if (order === "oldest") return oldest;
  return [...Map.groupBy(oldest, ({ session_id }) => session_id).values()].flat();
}

/** The question to show after an answer: the next in the list, or the previous one at its end. */
export function nextAfter<T extends Asked>(ordered: readonly T[], approval_id: string): T | null {
  const at = ordered.findIndex((one) => one.approval_id === approval_id);
  return ordered[at + 1] ?? ordered.toSpliced(at, 1).at(-1) ?? null;
}
