import { Link } from "@tanstack/react-router";
import { CopyText } from "../ui/copy-text.tsx";
import { Empty } from "../ui/states.tsx";

/** Says so, and how to see it happen without harm. */
export function EmptyRecovery() {
  return (
    <Empty title="Nothing was interrupted">
      <p>
        When an agent or whoever runs it is killed at work, what was under way stands here: what is
        known of it, what may safely be done, and what you are asked.
      </p>
      <div className="space-y-2 pt-4 text-left text-sm">
        <p>To try it, run the demo agent and have it killed after 30 seconds:</p>
        <CopyText text={TRY} />
        <p>
          It asks to run a command: allow it in the{" "}
          <Link to="/inbox" className="text-accent underline underline-offset-2">
            inbox
          </Link>
          . When it is dead, come back here. The server recovers it within a minute; what it would
          do, before it does:
        </p>
        <CopyText text="npx belay recover --dry-run" />
      </div>
    </Empty>
  );
}

const TRY = 'timeout -s KILL 30 npx belay run demo "/run sleep 600" --once < /dev/null';
