import { Link } from "@tanstack/react-router";
import { CopyText } from "../ui/copy-text.tsx";
import { Empty } from "../ui/states.tsx";

/** Says so, and how to see it happen without harm. */
export function EmptyRecovery() {
  return (
    <Empty title="Nothing was interrupted">
      <p>
        When an agent is killed during a turn, its interrupted actions appear here, with what is
        known about them, what is safe to do, and what you have to decide.
      </p>
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
    </Empty>
  );
}

const TRY = 'timeout -s KILL 30 npx belay run demo "/run sleep 600" --once < /dev/null';
