import { useQuery } from "@tanstack/react-query";
import { call } from "../api/call.ts";
import { usePageTitle } from "../shell/page-title.ts";
import { Failed, Loading } from "../ui/states.tsx";
import { EmptyRecovery } from "./empty-recovery.tsx";
import { FailedRecoveries } from "./failed-recoveries.tsx";
import { HowItDecides } from "./how-it-decides.tsx";
import { PastRecoveries } from "./past-recoveries.tsx";
import { PendingRecoveries } from "./pending-recoveries.tsx";

/** That a process has died is no event: nobody tells of it, so one looks. */
const LOOK_AGAIN_MS = 15_000;

/** What was interrupted, what recovery made of it, and what only a person can decide. */
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
