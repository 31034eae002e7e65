import { activityLabel } from "../../../src/contract/activity-label.ts";
import type { Session } from "../../../src/contract/session.ts";
import { ACTIVITY_LOOKS } from "./activity-looks.ts";

const PUT_AWAY = "bg-raised text-faint";

type Shown = Pick<Session, "status" | "activity" | "recovery">;

interface StatusBadgeProps {
  readonly session: Shown;
  /** Whether the reader can answer its questions. */
  readonly canAnswer: boolean;
}

/** A session's activity, in one word. */
export function StatusBadge({ session, canAnswer }: StatusBadgeProps) {
  const [word, look] = describe(session, canAnswer);
  return (
    <span className={`inline-block rounded-full px-2 py-0.5 text-xs font-medium ${look}`}>
      {word}
    </span>
  );
}

function describe(
  { status, activity, recovery }: Shown,
  canAnswer: boolean,
): readonly [string, string] {
  if (recovery !== null) return ["recovery question", ACTIVITY_LOOKS.needs_you];
  if (activity === "needs_you" && !canAnswer) return ["needs an answer", ACTIVITY_LOOKS.needs_you];
  const isPutAway = status === "cancelled" || status === "archived";
  return [activityLabel({ status, activity }), isPutAway ? PUT_AWAY : ACTIVITY_LOOKS[activity]];
}
