import { Link } from "@tanstack/react-router";
import { useCounts } from "../api/use-counts.ts";
import { CopyText } from "../ui/copy-text.tsx";
import { Empty } from "../ui/states.tsx";

/** Says what will stand here, and what goes on meanwhile. */
export function EmptyInbox() {
  const { data } = useCounts();
  return (
    <Empty title="Nobody waits for you">
      <p>
        When an agent asks for leave, when someone asks a question about a session, or when recovery
        cannot know what a crash has left, it stands here until you answer.
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
      <p className="pt-4 text-sm">To see one, let the demo agent ask:</p>
      <CopyText text={'npx belay run demo "/run echo hello" --once'} />
    </Empty>
  );
}

function tell(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? "" : "s"}`;
}
