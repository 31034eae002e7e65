import { type KeyboardEvent, type ReactNode, useEffect, useRef } from "react";
import type { Approval } from "../../../src/contract/session.ts";
import { TimeAgo } from "../ui/time-ago.tsx";
import { KindBadge } from "./kind-badge.tsx";
import type { Order } from "./order-approvals.ts";

interface QuestionListProps {
  readonly ordered: readonly Approval[];
  readonly order: Order;
  readonly selected: string | null;
  /** Increases when the focus should move to the selected row. */
  readonly moves: number;
  select(approval: Approval): void;
  step(by: 1 | -1): void;
  open(approval: Approval): void;
  /** The content below the selected row if there is no room next to the list. */
  below(approval: Approval): ReactNode;
}

/** The list of questions with a selection. */
export function QuestionList(props: QuestionListProps) {
  const { ordered, order, selected, moves, select, step, open, below } = props;
  const list = useRef<HTMLUListElement>(null);
  useEffect(() => {
    if (moves > 0) list.current?.querySelector<HTMLElement>("[aria-current=true]")?.focus();
  }, [moves]);

  const onKeyDown = (event: KeyboardEvent, approval: Approval): void => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "ArrowDown") step(1);
    else if (event.key === "ArrowUp") step(-1);
    else if (event.key === "Enter") open(approval);
    else return;
    event.preventDefault();
  };
  return (
    <ul ref={list} aria-label="Waiting questions" className="divide-y divide-line">
      {ordered.map((approval, at) => {
        const { approval_id, session_id, kind, requested_at } = approval;
        const isSelected = approval_id === selected;
        const isFirstOfSession = ordered[at - 1]?.session_id !== session_id;
        return (
          <li key={approval_id}>
            {order === "session" && isFirstOfSession && (
              <p className="truncate bg-raised px-4 py-1 text-xs font-medium text-soft">
                {sessionName(approval)}
              </p>
            )}
            <button
              type="button"
              aria-current={isSelected}
              onClick={() => select(approval)}
              onKeyDown={(event) => onKeyDown(event, approval)}
              className={`block w-full border-l-2 px-4 py-2.5 text-left -outline-offset-2 ${isSelected ? "border-accent bg-raised" : "border-transparent hover:bg-raised"}`}
            >
              <span className="flex items-center justify-between gap-3">
                <KindBadge kind={kind} />
                <span className="text-xs text-faint">
                  <TimeAgo at={requested_at} />
                </span>
              </span>
              <span dir="auto" className="mt-1 line-clamp-2 font-medium break-words">
                {approval.title}
              </span>
              <span className="mt-0.5 block truncate text-sm text-soft">
                {order === "session" ? "" : `${sessionName(approval)} · `}
                {approval.agent_name}
              </span>
            </button>
            {isSelected && below(approval)}
          </li>
        );
      })}
    </ul>
  );
}

export function sessionName(approval: Pick<Approval, "session_title" | "session_id">): string {
  return approval.session_title ?? approval.session_id;
}
