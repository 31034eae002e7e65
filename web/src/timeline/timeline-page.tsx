import { Link, useSearch } from "@tanstack/react-router";
import type { SessionSpans } from "../../../src/contract/past.ts";
import { usePageTitle } from "../shell/page-title.ts";
import { buttonClass } from "../ui/button.tsx";
import { Empty, Failed, Loading } from "../ui/states.tsx";
import { TimeAgo } from "../ui/time-ago.tsx";
import { ChoosePast } from "./choose-past.tsx";
import { FindPast } from "./find-past.tsx";
import { LoadEarlier } from "./load-earlier.tsx";
import { PastView } from "./past-view.tsx";
import { usePast } from "./use-past.ts";

/** What sessions did over time, for whatever they have in common. */
export function TimelinePage() {
  const { of } = useSearch({ from: "/frame/past" });
  usePageTitle(of === undefined ? "Timeline" : `Timeline of ${of}`);
  return (
    <div className="p-4">
      <h1 className="text-xl font-semibold">Timeline</h1>
      <FindPast key={of} of={of ?? ""} />
      {of === undefined ? <ChoosePast /> : <Past of={of} />}
    </div>
  );
}

function Past({ of }: { readonly of: string }) {
  const past = usePast(of);
  const { query, sessions, more } = past;
  if (query.isError && sessions.length === 0) {
    return <Failed error={query.error} retry={() => void query.refetch()} />;
  }
  if (query.isPending && sessions.length === 0) return <Loading what="the timeline" />;
  if (sessions.length === 0) {
    return (
      <Empty title={`No sessions found for ${of}`}>
        <p>
          A session belongs to an entity when its work names it: a field that ends in _id, in the
          details of an action, an outcome or a checkpoint.
        </p>
        <Link to="/past" className={buttonClass("plain")}>
          Choose a task or session
        </Link>
      </Empty>
    );
  }
  return (
    <section className="mt-4 space-y-3">
      <p className="text-sm text-soft" role="status">
        {sessions.length === 1 ? "1 session" : `${sessions.length} sessions`}
        {more ? ", the newest of more" : ""}
      </p>
      <PastView
        label={`Timeline of ${of}`}
        sessions={sessions}
        heading={(session) => (
          <>
            <SessionHeading session={session} />
            <LoadEarlier session={session} past={past} />
          </>
        )}
      />
    </section>
  );
}

function SessionHeading({ session }: { readonly session: SessionSpans }) {
  const { session_id, title, agent_name, status, created_at } = session;
  return (
    <div className="mb-1.5 flex flex-wrap items-baseline gap-x-3 text-sm">
      <h2 className="min-w-0 font-medium break-words">
        <Link
          to="/s/$id/timeline"
          params={{ id: session_id }}
          className="hover:underline"
          draggable={false}
        >
          {title ?? session_id}
        </Link>
      </h2>
      <span className="text-soft">{agent_name}</span>
      <span className="text-soft">{status}</span>
      <span className="text-faint">
        <TimeAgo at={created_at} />
      </span>
    </div>
  );
}
