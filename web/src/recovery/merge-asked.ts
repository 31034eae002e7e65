import type { PendingRecovery } from "../../../src/contract/recovery.ts";

type Asked = Pick<PendingRecovery, "approval_id">;

interface Kept<T> {
  readonly shown: readonly { readonly recovery: T; readonly isOpen: boolean }[];
  /** The same list object if nothing has changed. */
  readonly toKeep: readonly T[];
}

/**
 * A question that was shown stays in place until it is dismissed here, even after it was answered elsewhere, so that
 * nothing else moves under the pointer.
 */
export function mergeAsked<T extends Asked>(
  kept: readonly T[],
  pending: readonly T[],
  dismissed: ReadonlySet<string>,
): Kept<T> {
  const now = new Map(pending.map((one) => [one.approval_id, one]));
  const known = new Set(kept.map((one) => one.approval_id));
  const old = kept.filter(({ approval_id }) => !dismissed.has(approval_id ?? ""));
  const fresh = pending.filter(
    ({ approval_id }) =>
      approval_id !== null && !known.has(approval_id) && !dismissed.has(approval_id),
  );
  const toKeep = fresh.length === 0 && old.length === kept.length ? kept : [...old, ...fresh];
  return {
    shown: [
      ...toKeep.map((one) => {
        const current = now.get(one.approval_id);
        return { recovery: current ?? one, isOpen: current !== undefined };
      }),
      ...pending
        .filter(({ approval_id }) => approval_id === null)
        .map((recovery) => ({ recovery, isOpen: true })),
    ],
    toKeep,
  };
}
