import { counted } from "../../contract/import/describe-import.ts";
import type { Session } from "../../contract/session.ts";
import type { OpenBelay, Program } from "./program.ts";

/** Prints how to continue with a session after a change. */
export async function hintNext(
  id: string,
  { service }: Pick<OpenBelay, "service">,
  { terminal, caller }: HintPlace,
): Promise<number> {
  if (terminal.json) return 0;
  const hint = hintFor(await service.call("get", { id }, caller));
  if (hint !== null) terminal.write(`${hint}\n`);
  return 0;
}

interface HintPlace extends Pick<Program, "caller"> {
  readonly terminal: Pick<Program["terminal"], "json" | "write">;
}

function hintFor(session: Session): string | null {
  const { session_id, status, driver, recovery, resume_ready } = session;
  const resume = `belay resume ${session_id}`;
  if (recovery !== null) return "Answer the recovery question first; see: belay approvals";
  if (status === "suspended") return `Resume it with: ${resume}`;
  if (session.pending_approvals > 0) {
    return `${counted(session.pending_approvals, "open approval")}. See: belay approvals`;
  }
  if (driver !== null) return `The agent continues. Watch it with: belay attach ${session_id}`;
  if (session.queued_messages === 0) return null;
  return resume_ready
    ? `A running server continues the work in a moment. Without a server: ${resume}`
    : `Resume it with: ${resume}`;
}
