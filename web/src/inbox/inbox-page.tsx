import { Link } from "@tanstack/react-router";
import { useEffect, useRef, useState } from "react";
import { counted } from "../../../src/contract/import/describe-import.ts";
import type { Approval } from "../../../src/contract/session.ts";
import { useCounts } from "../api/use-counts.ts";
import { useUnshared } from "../session/use-unshared.ts";
import { usePageTitle } from "../shell/page-title.ts";
import { CopyText } from "../ui/copy-text.tsx";
import { Empty, Failed, Loading } from "../ui/states.tsx";
import { TerminalHint } from "../ui/terminal-hint.tsx";
import { useIsWide } from "../ui/use-is-wide.ts";
import { InboxHeader } from "./inbox-header.tsx";
import { ORDERS, type Order } from "./order-approvals.ts";
import { QuestionDetail } from "./question-detail.tsx";
import { QuestionList } from "./question-list.tsx";
import { useApprovals } from "./use-approvals.ts";
import { useSelection } from "./use-selection.ts";

/** Lists the agents that wait for a person, with the controls to answer them. */
export function InboxPage() {
  usePageTitle("Inbox");
  const { data, error, refetch } = useApprovals();
  useUnshared(data?.approvals ?? []);
  const said = useArrivals(data?.approvals);
  const [order, setOrder] = useOrder();
  const isWide = useIsWide("lg");
  const { ordered, shown, isOpen, moves, ...act } = useSelection(data?.approvals, order);

  const detail = shown && (
    <QuestionDetail
      key={shown.approval_id}
      approval={shown}
      isOpen={isOpen}
      isBeside={isWide}
      onAnswered={() => act.answered(shown)}
    />
  );
  return (
    <div className="flex min-h-full flex-col lg:h-full">
      <InboxHeader waiting={ordered.length} order={order} chooseOrder={setOrder} />
      <p role="status" aria-live="polite" className="sr-only">
        {said}
      </p>
      {!data && error && <Failed error={error} retry={() => void refetch()} />}
      {!data && !error && <Loading what="the questions" />}
      {data && !shown && <EmptyInbox />}
      {data && shown && (
        <div className="min-h-0 flex-1 lg:flex">
          <div className="border-line lg:w-96 lg:shrink-0 lg:overflow-y-auto lg:border-r">
            {!isWide && !isOpen && detail}
            <QuestionList
              {...act}
              ordered={ordered}
              order={order}
              selected={shown.approval_id}
              moves={moves}
              below={() => !isWide && detail}
            />
            {data.more && (
              <p className="p-4 text-sm text-soft">
                Not all questions are shown. Answer some to see the rest.
              </p>
            )}
            {data.damaged.length > 0 && (
              <p className="p-4 text-sm text-soft">
                Damaged sessions: {data.damaged.length}. Run “npx belay verify” for details.
              </p>
            )}
          </div>
          {isWide && <div className="min-w-0 flex-1">{detail}</div>}
        </div>
      )}
    </div>
  );
}

/** Explains what will appear here, and what is going on meanwhile. */
function EmptyInbox() {
  const { data } = useCounts();
  return (
    <Empty title="Inbox is empty">
      <p>
        Questions appear here when an agent asks for permission, when a session asks you something,
        or when recovery needs a decision after a crash.
      </p>
      {data && (
        <p>
          Now:{" "}
          <Link to="/" className="text-accent underline underline-offset-2">
            {counted(data.by_status.active, "active session")}
          </Link>
          , {data.by_status.suspended} suspended.
        </p>
      )}
      <TerminalHint>
        <p className="pt-4 text-sm">To see one, run the demo agent:</p>
        <CopyText text={'npx belay run demo "/run echo hello" --once'} />
      </TerminalHint>
    </Empty>
  );
}

/** A sentence about new questions since the page was opened, for screen readers. */
function useArrivals(approvals: readonly Approval[] | undefined): string {
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

const KEPT_AS = "belay-inbox-order";

/** The preferred order, stored for the next visit. */
function useOrder(): [Order, (order: Order) => void] {
  const [order, setOrder] = useState(readOrder);
  return [
    order,
    (next) => {
      localStorage.setItem(KEPT_AS, next);
      setOrder(next);
    },
  ];
}

function readOrder(): Order {
  const kept = localStorage.getItem(KEPT_AS);
  return ORDERS.find((order) => order === kept) ?? "oldest";
}
