import { useParams } from "@tanstack/react-router";
import { NoSession } from "../session/no-session.tsx";
import { SessionHeader } from "../session/session-header.tsx";
import { useSession } from "../session/use-session.ts";
import { usePageTitle } from "../shell/page-title.ts";
import { Loading } from "../ui/states.tsx";
import { Checkpoints } from "./checkpoints.tsx";
import { ForkTree } from "./fork-tree.tsx";

/** The forks and the checkpoints of a session. */
export function BranchesPage() {
  const { id: named } = useParams({ from: "/frame/s/$id/branches" });
  const asked = useSession(named);
  const session = asked.data;
  usePageTitle(`Branches of ${session?.title ?? named}`);
  if (asked.isError && !session) {
    return <NoSession id={named} error={asked.error} retry={() => void asked.refetch()} />;
  }
  if (!session) return <Loading what="the session" />;
  return (
    <div className="flex min-h-full flex-col">
      <SessionHeader id={session.session_id} />
      <div className="mx-auto w-full max-w-4xl space-y-8 p-4">
        <ForkTree id={session.session_id} />
        <Checkpoints session={session} />
      </div>
    </div>
  );
}
