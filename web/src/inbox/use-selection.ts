import { useNavigate } from "@tanstack/react-router";
import { useMemo, useState } from "react";
import type { Approval } from "../../../src/contract/session.ts";
import { useShortcut } from "../shell/shortcuts.ts";
import { nextAfter, type Order, orderApprovals } from "./order-approvals.ts";

const NONE: readonly Approval[] = [];

interface Selection {
  readonly selected: Approval | null;
  /** Increases when the focus should follow. */
  readonly moves: number;
}

/**
 * The selected question. Only the person here changes it: a question answered elsewhere stays selected, so that a key
 * pressed at that moment cannot answer an unread one.
 */
export function useSelection(approvals: readonly Approval[] | undefined, order: Order) {
  const navigate = useNavigate();
  const [{ selected, moves }, setState] = useState<Selection>({ selected: null, moves: 0 });
  // Answered questions disappear at once, before the list is read again.
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
  const select = (approval: Approval): void => setState({ selected: approval, moves });
  if (selected === null && first) select(first);

  const step = (by: 1 | -1): void => {
    const at = ordered.findIndex((one) => one.approval_id === shown?.approval_id);
    const next = at < 0 ? first : ordered[at + by];
    if (next) setState({ selected: next, moves: moves + 1 });
  };
  const open = ({ session_id, seq }: Approval): void => {
    void navigate({ to: "/s/$id", params: { id: session_id }, search: { at: seq } });
  };
  useShortcut("j", "Next question (or ↓ in the list)", () => step(1));
  useShortcut("k", "Previous question (or ↑ in the list)", () => step(-1));
  useShortcut("Enter", "Open the session", () => shown && open(shown));
  return {
    ordered,
    shown,
    isOpen: current !== undefined,
    moves,
    select,
    step,
    open,
    answered(approval: Approval): void {
      setGone((before) => new Set(before).add(approval.approval_id));
      const next = nextAfter(ordered, approval.approval_id);
      // A person who moved on to another question before the server answered stays there.
      setState((now) =>
        now.selected?.approval_id === approval.approval_id
          ? { selected: next, moves: now.moves + 1 }
          : now,
      );
    },
  };
}
