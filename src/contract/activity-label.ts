import type { Activity, Status } from "./vocabulary.ts";

/** What a session is doing, in words for people. Those that are put away are told apart from those that are done. */
export function activityLabel(session: {
  readonly status: Status;
  readonly activity: Activity;
}): string {
  const { status, activity } = session;
  if (status === "cancelled" || status === "archived") return status;
  return activity === "needs_you" ? "needs you" : activity;
}
