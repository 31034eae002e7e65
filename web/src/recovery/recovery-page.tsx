import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { Output } from "../../../src/contract/operations.ts";
import { call } from "../api/call.ts";
import { usePageTitle } from "../shell/page-title.ts";
import { CopyText } from "../ui/copy-text.tsx";
import { Empty, Failed, Loading } from "../ui/states.tsx";
import { TerminalHint } from "../ui/terminal-hint.tsx";
import { HowItDecides } from "./how-it-decides.tsx";
import { PastRecoveries } from "./past-recoveries.tsx";
import { PendingRecoveries } from "./pending-recoveries.tsx";

/** The death of a process is not an event, so the page polls. */
const LOOK_AGAIN_MS = 15_000;

/** Interrupted sessions, past recoveries, and open questions about them. */
export function RecoveryPage() {
  usePageTitle("Recovery");
  const { data, error, refetch } = useQuery({
    queryKey: ["recoveries"],
    queryFn: ({ signal }) => call("recoveries", {}, signal),
    refetchInterval: LOOK_AGAIN_MS,
  });
  const isEmpty =
    data && data.pending.length === 0 && data.past.length === 0 && data.failed.length === 0;
  return (
    <div className="mx-auto max-w-4xl space-y-8 px-4 py-4 md:px-6">
      <h1 className="text-xl font-semibold">Recovery</h1>
      {!data && error && <Failed error={error} retry={() => void refetch()} />}
      {!data && !error && <Loading what="interrupted sessions" />}
      {data && <PendingRecoveries pending={data.pending} isQuiet={isEmpty === true} />}
      {isEmpty && <EmptyRecovery />}
      {data && data.failed.length > 0 && <FailedRecoveries failed={data.failed} />}
      {data && data.past.length > 0 && <PastRecoveries past={data.past} />}
      <HowItDecides />
    </div>
  );
}

/** Explains the empty page, and how to try recovery safely. */
function EmptyRecovery() {
  return (
    <Empty title="Nothing was interrupted">
      <p>
        When an agent is killed during a turn, its interrupted actions appear here, with what is
        known about them, what is safe to do, and what you have to decide.
      </p>
      <TerminalHint>
        <div className="space-y-2 pt-4 text-left text-sm">
          <p>To try it, run the demo agent, which is killed after 30 seconds:</p>
          <CopyText text={TRY} />
          <p>
            The agent asks to run a command. Approve it in the{" "}
            <Link to="/inbox" className="text-accent underline underline-offset-2">
              inbox
            </Link>
            . After the agent is killed, come back here. The server recovers the session within a
            minute. To see the plan first, run:
          </p>
          <CopyText text="npx belay recover --dry-run" />
        </div>
      </TerminalHint>
    </Empty>
  );
}

const TRY = 'timeout -s KILL 30 npx belay run demo "/run sleep 600" --once < /dev/null';

/** Sessions that could not be examined. */
function FailedRecoveries({ failed }: { readonly failed: Output<"recoveries">["failed"] }) {
  return (
    <section aria-labelledby="failed">
      <h2 id="failed" className="mb-3 text-lg font-semibold">
        Could not be checked
      </h2>
      <ul className="divide-y divide-line rounded-lg border border-bad bg-panel">
        {failed.map(({ session_id, why }) => (
          <li key={session_id} className="px-4 py-3">
            <Link
              to="/s/$id"
              params={{ id: session_id }}
              className="font-medium break-all hover:underline"
            >
              {session_id}
            </Link>
            <p className="text-sm text-bad">{why}</p>
          </li>
        ))}
      </ul>
      <div className="mt-3 max-w-md space-y-1 text-sm text-soft">
        <p>To check their logs, run:</p>
        <CopyText text="npx belay verify" />
      </div>
    </section>
  );
}
