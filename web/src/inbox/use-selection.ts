import { useNavigate } from "@tanstack/react-router";
import { useMemo, useState } from "react";
import type { Approval } from "../../../src/contract/session.ts";
import { useShortcut } from "../shell/shortcuts.ts";
import { nextAfter, type Order, orderApprovals } from "./order-approvals.ts";

const NONE: readonly Approval[] = [];

/**
 * Which question is shown. It only changes by what the person here does: one that is answered elsewhere stays, so that a
 * key pressed at that moment cannot answer another that nobody has read.
 */
export function useSelection(approvals: readonly Approval[] | undefined, order: Order) {
  const navigate = useNavigate();
  const [selected, setSelected] = useState<Approval | null>(null);
  const [moves, setMoves] = useState(0);
  // What was answered here is gone from the list at once, before the list has been asked for again.
  const [gone, setGone] = useState<ReadonlySet<string>>(new Set());
  const ordered = useMemo(
    () =>
      orderApprovals(
        (approvals ?? NONE).filter(({ approval_id }) => !gone.has(approval_id)),
        order,
      ),
    [approvals, gone, order],
  );
  const current = ordered.find((one) => one.approval_id === selected?.approval_id);
  const shown = current ?? selected;
  const [first] = ordered;
  if (selected === null && first) setSelected(first);

  const moveTo = (approval: Approval | null): void => {
    setSelected(approval);
    setMoves((count) => count + 1);
  };
  const step = (by: 1 | -1): void => {
    const at = ordered.findIndex((one) => one.approval_id === shown?.approval_id);
    const next = at < 0 ? first : ordered[at + by];
    if (next) moveTo(next);
  };
  const open = ({ session_id }: Approval): void => {
    void navigate({ to: "/s/$id", params: { id: session_id } });
  };
  useShortcut("j", "Next question (or ↓ in the list)", () => step(1));
  useShortcut("k", "Previous question (or ↑ in the list)", () => step(-1));
  useShortcut("Enter", "Open the session", () => shown && open(shown));
  return {
    ordered,
    shown,
    isOpen: current !== undefined,
    moves,
    select: setSelected,
    step,
    open,
    answered(approval: Approval): void {
      setGone((before) => new Set(before).add(approval.approval_id));
      moveTo(nextAfter(ordered, approval.approval_id));
    },
  };
}
