import type { Session } from "../../../src/contract/session.ts";

/** The name of a session on one line. */
export function nameOf({ title, purpose, session_id }: Session): string {
  return title?.trim() || purpose?.trim() || session_id;
}

/** The last folder of its path. */
export function folderOf(cwd: string): string {
  return cwd.split(/[/\\]/).findLast(Boolean) ?? cwd;
}

/** Null if the session has no task of its own. */
export function taskOf({ task_id, entity_id }: Session): string | null {
  return task_id === "" || task_id === entity_id ? null : task_id;
}

/** Null if there was no cost. */
export function costOf({ usage }: Session): string | null {
  const { cost_usd } = usage;
  if (cost_usd <= 0) return null;
  return cost_usd < 0.001 ? "<$0.001" : `$${cost_usd.toFixed(cost_usd < 10 ? 3 : 2)}`;
}

/** The current phase; null if the agent is not working, because the last phase means nothing then. */
export function phaseOf({ phase, activity }: Session): string | null {
  return activity === "working" ? phase : null;
}

export function count(number: number, one: string, many = `${one}s`): string {
  return `${number.toLocaleString("en")} ${number === 1 ? one : many}`;
}
