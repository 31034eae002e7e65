import { useNavigate, useParams } from "@tanstack/react-router";
import { useEffect } from "react";
import { NoSession } from "../session/no-session.tsx";
import { SessionHeader } from "../session/session-header.tsx";
import { useSession } from "../session/use-session.ts";
import { usePageTitle } from "../shell/page-title.ts";
import { Empty, Failed, Loading } from "../ui/states.tsx";
import { LoadEarlier } from "./load-earlier.tsx";
import { PastView } from "./past-view.tsx";
import { usePast } from "./spans/use-past.ts";

/** The timeline of one session. */
export function SessionTimelinePage() {
  const { id: named } = useParams({ from: "/frame/s/$id/timeline" });
  const asked = useSession(named);
  const id = asked.data?.session_id ?? named;
  const navigate = useNavigate();
  // A part of an id leads here too; the address is replaced by the whole id.
  useEffect(() => {
    if (id !== named) void navigate({ to: "/s/$id/timeline", params: { id }, replace: true });
  }, [id, named, navigate]);
  const past = usePast(id);
  const session = past.sessions.find(({ session_id }) => session_id === id);
  const title = session?.title ?? id;
  usePageTitle(`Timeline of ${title}`);
  if (asked.isError && !asked.data) {
    return <NoSession id={named} error={asked.error} retry={() => void asked.refetch()} />;
  }
  const isRunning = session?.status === "active" && session.spans.some(isOpenTurn);
  return (
    <div className="flex min-h-full flex-col">
      <SessionHeader id={id} isRunning={isRunning} />
      <div className="p-4">
        {session ? (
          <PastView
            label={`Timeline of ${title}`}
            sessions={[session]}
            heading={() => <LoadEarlier session={session} past={past} />}
          />
        ) : past.query.isError ? (
          <Failed error={past.query.error} retry={() => void past.query.refetch()} />
        ) : past.query.isSuccess && asked.isSuccess ? (
          <Empty title="No timeline">
            <p>A session in the trash has no timeline. Restore the session to see it.</p>
          </Empty>
        ) : (
          <Loading what="the timeline" />
        )}
      </div>
    </div>
  );
}

function isOpenTurn({ kind, to }: { readonly kind: string; readonly to: string | null }): boolean {
  return kind === "turn" && to === null;
}
