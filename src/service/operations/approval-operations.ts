import { BelayError, type Refusal, refuse } from "../../contract/errors.ts";
import type { Output, Parsed } from "../../contract/operations.ts";
import { readInstant } from "../../contract/read-instant.ts";
import type { Approval } from "../../contract/session.ts";
import type { StoredRow } from "../../contract/stream.ts";
import { chooseOption, switchesMode } from "../../core/session/choose-option.ts";
import { isRefusal } from "../../core/session/decision.ts";
import { readEvents } from "../../store/read-streams.ts";
import type { StreamStore } from "../../store/stream-store.ts";
import { explainClosed } from "../approval/explain-closed.ts";
import { findApproval } from "../approval/find-approval.ts";
import { listApprovals } from "../approval/list-approvals.ts";
import {
  actionIn,
  digestQuestion,
  type Question,
  readOpenQuestion,
  viewApproval,
} from "../approval/read-approvals.ts";
import { MergeBasis, mergeSession, sideOf } from "../branch/merge-session.ts";
import { changeSession } from "../change-session.ts";
import { idFor, retryOf } from "../idempotency.ts";
import { knownEvent } from "../read/read-head-at.ts";
import type { Caller, ServiceContext } from "../service-context.ts";

const operations = {
  async request_approval(
    context: ServiceContext,
    input: Parsed<"request_approval">,
    caller: Caller,
  ): Promise<Approval> {
    const { id, title, body = null, expected_version } = input;
    const retry = retryOf("request_approval", input);
    const approval_id = idFor(context, caller, retry);
    const expires_at = input.expires_at === undefined ? null : readInstant(input.expires_at);
    const { head, stream } = await changeSession(context, caller, {
      id,
      expected_version,
      retry,
      commands: () => [
        {
          type: "request_approval",
          approval_id,
          ...QUESTION,
          title,
          body,
          expires_at,
        },
      ],
    });
    const data = { approval_id, ...QUESTION, title, body, expires_at };
    const seq = head.approvals.find((open) => open.id === approval_id)?.seq ?? stream.seq;
    return viewApproval(
      { head, lease: stream.lease },
      { seq, at: head.updated_at, data },
      undefined,
    );
  },

  list_approvals: listApprovals,

  async decide_approval(
    context: ServiceContext,
    input: Parsed<"decide_approval">,
    caller: Caller,
  ): Promise<Output<"decide_approval">> {
    const { decision, option, always, note = null, digest } = input;
    const { store } = context;
    const { id, approval_id } = await findApproval(context, caller, input.approval_id);
    const open = await readOpenQuestion(store, id, approval_id);
    const asked = open?.question.data;
    if (asked?.kind === "merge") return answerMerge(context, input, caller, { id, asked });
    const { head, stream } = await changeSession(context, caller, {
      id,
      retry: retryOf("decide_approval", input),
      reads: open ? [{ stream: 0, query: open.action }] : [],
      commands: (_, { rows: [actions = []] }) => {
        const action = asked && actionIn(actions, asked);
        const answer = { approval_id, decision, option, always, note, asked };
        const is_outdated = asked && isOutdated(digest, asked, action);
        const switches_mode = switchesMode(asked?.title ?? "", action?.data.type);
        const guest = caller.person === undefined ? undefined : { switches_mode };
        return [{ type: "decide_approval", ...answer, is_outdated, guest }];
      },
    });
    const decided = await readDecided(store, id, approval_id, stream.seq);
    return { approval_id, ...decided, session_id: head.session_id };
  },
};

export const approvalOperations = {
  ...operations,
  decide_approval: explainClosed(operations.decide_approval),
};

/** Answers a question about a merge, and merges. */
async function answerMerge(
  context: ServiceContext,
  input: Parsed<"decide_approval">,
  caller: Caller,
  { id, asked }: { readonly id: string; readonly asked: Question["data"] },
): Promise<Output<"decide_approval">> {
  const { approval_id } = asked;
  // The other session of the merge is not shared with them.
  if (caller.person !== undefined) throw new BelayError(refuseMergeAnswer(caller, approval_id));
  const chosen = chooseOption(input, asked);
  if (isRefusal(chosen)) throw new BelayError(chosen);
  const { decision } = chosen;
  const merge = MergeBasis.parse(JSON.parse(asked.basis ?? "null"));
  const given = { id: merge.entity_id, at: merge.to, into: id, rule: sideOf(decision) };
  const { idempotency_key, note = null, digest } = input;
  const is_outdated = isOutdated(digest, asked, undefined);
  const answer = { approval_id, decision, note, is_outdated, shown: merge.shown };
  const wanted = { ...given, dry_run: false, ...(idempotency_key && { idempotency_key }) };
  const { session_id } = await mergeSession(context, wanted, caller, answer);
  return { approval_id, decision, choice: null, session_id };
}

function refuseMergeAnswer({ owner }: Caller, approval_id: string): Refusal {
  const message = `Only ${owner} may answer a question about a merge.`;
  return refuse("not_allowed", message, { approval_id });
}

/** True if the answer is to a question that looked different. */
function isOutdated(
  digest: string | undefined,
  asked: Question["data"],
  action: StoredRow | undefined,
): boolean {
  return digest !== undefined && digest !== digestQuestion(asked, action);
}

/** The decision that the log has: it is the last event up to `seq`, or the agent's phase changed after it. */
async function readDecided(store: StreamStore, id: string, approval_id: string, seq: number) {
  const newest = await readEvents(store, id, { after: Math.max(0, seq - 2), limit: 2 });
  for (const event of newest.map(knownEvent)) {
    if (event.type !== "approval.decided" || event.data.approval_id !== approval_id) continue;
    const { decision, choice = null } = event.data;
    return { decision, choice };
  }
  throw new BelayError(refuse("internal", "The decision is not in the log.", { approval_id }));
}

/** A question from outside concerns no action, and no process waits for the answer. */
const QUESTION = { kind: "question", action_id: null, awaited: false } as const;
