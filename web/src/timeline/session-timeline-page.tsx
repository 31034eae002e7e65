import { Link, useParams } from "@tanstack/react-router";
import { usePageTitle } from "../shell/page-title.ts";
import { Empty, Failed, Loading } from "../ui/states.tsx";
import { LoadEarlier } from "./load-earlier.tsx";
import { PastView } from "./past-view.tsx";
import { usePast } from "./use-past.ts";

/** What one session did, over time. */
export function SessionTimelinePage() {
  const { id } = useParams({ from: "/frame/s/$id/timeline" });
  const past = usePast(id);
  const session = past.sessions.find(({ session_id }) => session_id === id);
  const title = session?.title ?? id;
  usePageTitle(`Timeline of ${title}`);
  return (
    <div className="p-4">
      <Link to="/s/$id" params={{ id }} className="text-sm text-soft hover:text-ink">
        ← Conversation
      </Link>
      <h1 className="mt-1 mb-4 text-xl font-semibold break-words">{title}</h1>
      {past.query.isError && !session ? (
        <Failed error={past.query.error} retry={() => void past.query.refetch()} />
      ) : session ? (
        <PastView
          label={`Timeline of ${title}`}
          sessions={[session]}
          heading={() => <LoadEarlier session={session} past={past} />}
        />
      ) : past.query.isPending ? (
        <Loading what="the timeline" />
      ) : (
        <Empty title="There is no such session">
          <p>It may have been deleted, or it belongs to someone else.</p>
        </Empty>
      )}
    </div>
  );
}
