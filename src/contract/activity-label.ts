import type { Activity, Status } from "./vocabulary.ts";

/** The activity of a session, in words for people. Archived sessions differ from completed ones. */
export function activityLabel(session: {
  readonly status: Status;
  readonly activity: Activity;
}): string {
  const { status, activity } = session;
  if (status === "cancelled" || status === "archived") return status;
  return activity === "needs_you" ? "needs you" : activity;
}
