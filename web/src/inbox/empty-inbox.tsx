import { Link } from "@tanstack/react-router";
import { useCounts } from "../api/use-counts.ts";
import { CopyText } from "../ui/copy-text.tsx";
import { Empty } from "../ui/states.tsx";

/** Says what will stand here, and what goes on meanwhile. */
export function EmptyInbox() {
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
            {tell(data.by_status.active, "active session")}
          </Link>
          , {data.by_status.suspended} suspended.
        </p>
      )}
      <p className="pt-4 text-sm">To see one, run the demo agent:</p>
      <CopyText text={'npx belay run demo "/run echo hello" --once'} />
    </Empty>
  );
}

function tell(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? "" : "s"}`;
}
