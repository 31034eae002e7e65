import { UNFINISHED_STATUSES } from "../../contract/vocabulary.ts";
import { shouldResume } from "../../core/resume/should-resume.ts";
import { isSessionHead } from "../../core/session/known-events.ts";
import type { FoundSession } from "../../service/read/find-session.ts";
import { resumePolicy } from "../../service/resume-policy.ts";
import type { ServiceContext } from "../../service/service-context.ts";

interface ResumableQuery {
  readonly owner: string;
  readonly agent_name: string;
  readonly cwd: string;
  /** Excluded sessions, such as the one that asks. */
  readonly except?: (found: FoundSession) => boolean;
}

const PAGE = 50;
const MOST_PAGES = 20;
/** Lists are sorted by minute. */
const MINUTE = 60_000;

/** The agent's session in this folder with the latest activity, among those that may be resumed automatically. */
export async function findResumable(
  { store, now }: ServiceContext,
  { owner, agent_name, cwd, except }: ResumableQuery,
): Promise<FoundSession | null> {
  const at = now();
  const filter = {
    agent: agent_name,
    project: cwd,
    status: UNFINISHED_STATUSES,
    activity: { after: at - resumePolicy().idle_ms - MINUTE },
  };
  let newest: FoundSession | null = null;
  let after: string | null = null;
  for (let page = 0; page < MOST_PAGES; page += 1) {
    const { streams, next } = await store.list({
      kind: "session",
      owner,
      filter,
      limit: PAGE,
      ...(after !== null && { after }),
    });
    for (const stream of streams) {
      const { head } = stream;
      if (!isSessionHead(head) || except?.({ stream, head })) continue;
      if (newest && head.updated_at <= newest.head.updated_at - MINUTE) return newest;
      if (!shouldResume(head, at, resumePolicy()).should_resume) continue;
      if (!newest || head.updated_at > newest.head.updated_at) newest = { stream, head };
    }
    if (next === null) break;
    after = next;
  }
  return newest;
}
