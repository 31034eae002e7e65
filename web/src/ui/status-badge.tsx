import { activityLabel } from "../../../src/contract/activity-label.ts";
import type { Session } from "../../../src/contract/session.ts";
import type { Activity } from "../../../src/contract/vocabulary.ts";

const LOOKS = {
  working: "bg-good-soft text-good",
  idle: "bg-info-soft text-info",
  needs_you: "bg-accent-soft text-accent",
  failed: "bg-bad-soft text-bad",
  interrupted: "bg-bad-soft text-bad",
  suspended: "bg-warn-soft text-warn",
  done: "bg-raised text-soft",
} as const satisfies Record<Activity, string>;

const PUT_AWAY = "bg-raised text-faint";

type Shown = Pick<Session, "status" | "activity" | "recovery">;

/** What a session is doing, in one word. */
export function StatusBadge({ session }: { readonly session: Shown }) {
  const [word, look] = describe(session);
  return (
    <span className={`inline-block rounded-full px-2 py-0.5 text-xs font-medium ${look}`}>
      {word}
    </span>
  );
}

function describe({ status, activity, recovery }: Shown): readonly [string, string] {
  if (recovery !== null) return ["recovery asks", LOOKS.needs_you];
  const isPutAway = status === "cancelled" || status === "archived";
  return [activityLabel({ status, activity }), isPutAway ? PUT_AWAY : LOOKS[activity]];
}
