import type { Session } from "../../../src/contract/session.ts";

/** What a session is called where it has one line. */
export function nameOf({ title, purpose, session_id }: Session): string {
  return title?.trim() || purpose?.trim() || session_id;
}

/** The last folder of its path. */
export function folderOf(cwd: string): string {
  return cwd.split(/[/\\]/).findLast(Boolean) ?? cwd;
}

/** Null where it serves only itself. */
export function taskOf({ task_id, entity_id }: Session): string | null {
  return task_id === "" || task_id === entity_id ? null : task_id;
}

/** Null where nothing was paid. */
export function costOf({ usage }: Session): string | null {
  const { cost_usd } = usage;
  if (cost_usd <= 0) return null;
  return cost_usd < 0.001 ? "<$0.001" : `$${cost_usd.toFixed(cost_usd < 10 ? 3 : 2)}`;
}

/** What it is busy with; null where it is not: the last phase says nothing then. */
export function phaseOf({ phase, activity }: Session): string | null {
  return activity === "working" ? phase : null;
}

export function count(number: number, one: string, many = `${one}s`): string {
  return `${number.toLocaleString("en")} ${number === 1 ? one : many}`;
}
