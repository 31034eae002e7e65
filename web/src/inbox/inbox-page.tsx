import { usePageTitle } from "../shell/page-title.ts";
import { Failed, Loading } from "../ui/states.tsx";
import { useIsWide } from "../ui/use-is-wide.ts";
import { EmptyInbox } from "./empty-inbox.tsx";
import { InboxHeader } from "./inbox-header.tsx";
import { QuestionDetail } from "./question-detail.tsx";
import { QuestionList } from "./question-list.tsx";
import { useApprovals } from "./use-approvals.ts";
import { useArrivals } from "./use-arrivals.ts";
import { useOrder } from "./use-order.ts";
import { useSelection } from "./use-selection.ts";

/** Which agents wait for a person, and the place to answer them. */
export function InboxPage() {
  usePageTitle("Inbox");
  const { data, error, refetch } = useApprovals();
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
