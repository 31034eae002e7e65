import type { NewDecision } from "../../contract/approval/decided.ts";
import { isSessionId } from "../../contract/id-pattern.ts";
import { shouldResume } from "../../core/resume/should-resume.ts";
import { isSessionHead } from "../../core/session/known-events.ts";
import { iso } from "../../core/view/view-session.ts";
import { readNewDecisions } from "../../service/approval/read-new-decisions.ts";
import type { FoundSession } from "../../service/read/find-session.ts";
import { readMetadata } from "../../service/read/read-metadata.ts";
import { resumePolicy } from "../../service/resume-policy.ts";
import type { ServiceContext } from "../../service/service-context.ts";
import { loadStream, readRows } from "../../store/read-streams.ts";
import { findResumable } from "./find-resumable.ts";

interface DelegationQuery {
  readonly owner: string;
  readonly agent_name: string | null;
  readonly agent_id: string | null;
  readonly cwd: string;
}

/** GAIA-OPS's answer to "is there a session to continue?", which is asked before an agent gets work. */
export interface DelegationAdvice {
  readonly should_resume: boolean;
  readonly reason: "no_existing_session" | "session_resumable" | "session_not_resumable";
  readonly agent_id: string | null;
  readonly resume_metadata: {
    readonly previous_phase: string;
    readonly created_at: string;
    readonly last_updated: string;
    readonly history: readonly unknown[];
    readonly session_metadata: Readonly<Record<string, unknown>>;
    /** Present if people decided something that the agent may not know yet. */
    readonly decisions?: readonly NewDecision[];
  } | null;
}

export async function adviseDelegation(
  context: ServiceContext,
  query: DelegationQuery,
): Promise<DelegationAdvice> {
  const found = await find(context, query);
  if (!found) return noSession(query.agent_id);
  const agent_id = found.head.session_id;
  if (!shouldResume(found.head, context.now(), resumePolicy()).should_resume) {
    return {
      should_resume: false,
      reason: "session_not_resumable",
      agent_id,
      resume_metadata: null,
    };
  }
  return {
    should_resume: true,
    reason: "session_resumable",
    agent_id,
    resume_metadata: await describe(context, found),
  };
}

export function noSession(agent_id: string | null): DelegationAdvice {
  return { should_resume: false, reason: "no_existing_session", agent_id, resume_metadata: null };
}

/** The session with the exact id, or else the agent's newest that may be resumed here. */
async function find(
  context: ServiceContext,
  { owner, agent_name, agent_id, cwd }: DelegationQuery,
): Promise<FoundSession | null> {
  if (agent_id !== null) {
    if (!isSessionId(agent_id)) return null;
    const stream = await loadStream(context.store, { kind: "session", owner, key: agent_id });
    const head = stream?.head;
    return stream && isSessionHead(head) && !head.deleted ? { stream, head } : null;
  }
  if (agent_name === null) return null;
  return findResumable(context, { owner, agent_name, cwd });
}

async function describe(
  { store }: ServiceContext,
  { stream, head }: FoundSession,
): Promise<NonNullable<DelegationAdvice["resume_metadata"]>> {
  const decisions = await readNewDecisions(store, stream, head);
  return {
    previous_phase: head.phase,
    created_at: iso(head.created_at),
    last_updated: iso(head.updated_at),
    history: await readHistory(),
    session_metadata: await readMetadata(store, stream.id, head),
    ...(decisions.length > 0 && { decisions }),
  };

  async function readHistory() {
    const recent = head.recent_phases;
    const rows =
      head.counts.phases <= recent.length
        ? recent
        : (
            await readRows(store, stream.id, {
              kind: "phase",
              before: Number.MAX_SAFE_INTEGER,
              limit: MOST_PHASES,
            })
          ).map(({ data }) => data);
    return rows.map(({ from_phase, to_phase, at }) => ({
      from_phase,
      to_phase,
      timestamp: typeof at === "number" ? iso(at) : at,
    }));
  }
}

const MOST_PHASES = 1000;
