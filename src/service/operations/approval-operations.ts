import { BelayError, type Refusal, refuse } from "../../contract/errors.ts";
import type { Output, Parsed } from "../../contract/operations.ts";
import { readInstant } from "../../contract/read-instant.ts";
import type { Approval } from "../../contract/session.ts";
import { isSessionHead } from "../../core/session/known-events.ts";
import { loadStream, readEvents } from "../../store/read-streams.ts";
import type { StreamStore } from "../../store/stream-store.ts";
import { explainClosed } from "../approval/explain-closed.ts";
import { findApproval } from "../approval/find-approval.ts";
import { listApprovals } from "../approval/list-approvals.ts";
import { viewApproval } from "../approval/read-approvals.ts";
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
    const { decision, note = null, always } = input;
    const { id, approval_id } = await findApproval(context, caller, input.approval_id);
    const merge = await findAskedMerge(context.store, id, approval_id);
    if (merge) {
      // The other session of the merge is not shared with them.
      if (caller.person !== undefined) throw new BelayError(refuseMergeAnswer(caller, approval_id));
      const given = { id: merge.entity_id, at: merge.to, into: id, rule: sideOf(decision) };
      const { idempotency_key } = input;
      const answer = { approval_id, decision, note };
      const asked = { ...given, dry_run: false, ...(idempotency_key && { idempotency_key }) };
      const { session_id } = await mergeSession(context, asked, caller, answer);
      return { approval_id, decision, session_id };
    }
    const { head } = await changeSession(context, caller, {
      id,
      retry: retryOf("decide_approval", input),
      commands: () => [{ type: "decide_approval", approval_id, decision, note, always }],
    });
    return { approval_id, decision, session_id: head.session_id };
  },
};

export const approvalOperations = {
  ...operations,
  decide_approval: explainClosed(operations.decide_approval),
};

function refuseMergeAnswer({ owner }: Caller, approval_id: string): Refusal {
  const message = `Only ${owner} may answer a question about a merge.`;
  return refuse("not_allowed", message, { approval_id });
}

/** The merge that an open question decides; null if it is another question. */
async function findAskedMerge(store: StreamStore, id: string, approval_id: string) {
  const head = (await loadStream(store, { id }))?.head;
  const approvals = isSessionHead(head) ? head.approvals : [];
  const open = approvals.find((one) => one.id === approval_id);
  if (open?.kind !== "merge") return null;
  const [event] = await readEvents(store, id, { after: open.seq - 1, limit: 1 });
  const asked = event && knownEvent(event);
  const basis = asked?.type === "approval.requested" ? asked.data.basis : undefined;
  return MergeBasis.parse(JSON.parse(basis ?? "null"));
}

/** A question from outside concerns no action, and no process waits for the answer. */
const QUESTION = { kind: "question", action_id: null, awaited: false } as const;
