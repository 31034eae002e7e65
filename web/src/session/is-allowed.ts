import type { SessionCommandType } from "../../../src/contract/commands.ts";
import type { Session } from "../../../src/contract/session.ts";
import { type Rule, STATUS_RULES } from "../../../src/core/session/status-rules.ts";

const GRANTED: ReadonlySet<Rule> = new Set<Rule>(["ok", "activate", "wake", "continue"]);

/** True if a session accepts a command in its status. A session in the trash can only be restored. */
export function isAllowed(
  command: SessionCommandType,
  { status, deleted_at }: Pick<Session, "status" | "deleted_at">,
): boolean {
  if (command === "undelete") return deleted_at !== null;
  return deleted_at === null && GRANTED.has(STATUS_RULES[command][status]);
}
