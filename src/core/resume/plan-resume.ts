import type { SessionHead } from "../../contract/head.ts";

/** The way in which a returning person or agent continues a session. */
interface ResumePlan {
  readonly way: "attach" | "resume" | "load" | "replay" | "continue" | "fork" | "fresh";
  readonly why: string;
  readonly found: {
    readonly driver: string | null;
    readonly pending_approvals: readonly string[];
    readonly unknown_outcomes: readonly string[];
    readonly cwd_moved: boolean;
    readonly turns: number;
    readonly context_bytes: number;
  };
}

/** The facts about the environment that the caller has gathered. */
export interface ResumeEvidence {
  /** The name of the live lease holder. */
  readonly driver: string | null;
  /** The best way in which the agent can reopen its own session. */
  readonly reopen: "resume" | "load" | null;
  readonly cwd_exists: boolean;
  readonly context_bytes: number;
}

export function planResume(head: SessionHead, evidence: ResumeEvidence): ResumePlan {
  const found = {
    driver: evidence.driver,
    pending_approvals: head.approvals.map((approval) => approval.id),
    unknown_outcomes: head.actions
      .filter((action) => action.effects === "remote" || action.effects === "unknown")
      .map((action) => action.id),
    cwd_moved: head.project?.cwd != null && !evidence.cwd_exists,
    turns: head.counts.turns,
    context_bytes: evidence.context_bytes,
  };
  return { ...chooseWay(head, evidence), found };
}

function chooseWay(
  head: SessionHead,
  evidence: ResumeEvidence,
): { way: ResumePlan["way"]; why: string } {
  if (evidence.driver) return { way: "attach", why: `${evidence.driver} runs it now` };
  if (head.status === "failed" || head.status === "cancelled" || head.status === "archived") {
    return { way: "fork", why: `it is ${head.status}, which is final; fork it to continue` };
  }
  if (head.counts.turns === 0) return { way: "fresh", why: "it has no turns yet" };
  if (head.status === "completed") {
    return { way: "continue", why: "its run is complete; a message starts the next run" };
  }
  if (evidence.reopen) {
    return { way: evidence.reopen, why: `its agent can ${evidence.reopen} its own session` };
  }
  return { way: "replay", why: "a new agent gets a summary of the conversation" };
}
