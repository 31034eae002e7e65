import { BelayError, refuse } from "../../contract/errors.ts";
import type { SessionHead } from "../../contract/head.ts";
import type { Output, Parsed } from "../../contract/operations.ts";
import type { Approval } from "../../contract/session.ts";
import { isSessionHead } from "../../core/known-events.ts";
import { iso } from "../../core/view-session.ts";
import type { StreamStore } from "../../store/stream-store.ts";
import { changeSession } from "../change-session.ts";
import type { Caller, ServiceContext } from "../context.ts";
import { findApproval } from "../find-approval.ts";
import { findSession } from "../find-session.ts";
import { idFor, retryOf } from "../idempotency.ts";
import { knownEvent } from "../read-head-at.ts";
import { answerRecovery } from "../recovery/answer-recovery.ts";

export const approvalOperations = {
  async request_approval(
    context: ServiceContext,
    input: Parsed<"request_approval">,
    caller: Caller,
  ): Promise<Approval> {
    const { id, title, body = null, expected_version } = input;
    const retry = retryOf("request_approval", input);
    const approval_id = idFor(context, caller, retry);
    const expires_at = input.expires_at === undefined ? null : Date.parse(input.expires_at);
    const { head } = await changeSession(context, caller, {
      id,
      expected_version,
      retry,
      commands: () => [
        {
          type: "request_approval",
          approval_id,
          kind: "question",
          title,
          body,
          action_id: null,
          awaited: false,
          expires_at,
        },
      ],
    });
    return {
      approval_id,
      session_id: head.session_id,
      agent_name: head.agent_name,
      kind: "question",
      title,
      body,
      requested_at: iso(head.updated_at),
      expires_at: expires_at === null ? null : iso(expires_at),
      options: [],
    };
  },

  async list_approvals(
    { store }: ServiceContext,
    input: Parsed<"list_approvals">,
    caller: Caller,
  ): Promise<Output<"list_approvals">> {
    const page = await store.list({
      kind: "session",
      owner: caller.owner,
      filter: { waiting: true },
      limit: input.limit,
      ...(input.cursor !== undefined && { after: input.cursor }),
    });
    const approvals = await Promise.all(
      page.streams.map(async (stream) =>
        isSessionHead(stream.head) && !stream.head.deleted
          ? readOpenApprovals(store, stream.id, stream.head)
          : [],
      ),
    );
    const damaged = page.damaged.map(({ key }) => key);
    return { approvals: approvals.flat(), next_cursor: page.next, damaged };
  },

  async decide_approval(
    context: ServiceContext,
    input: Parsed<"decide_approval">,
    caller: Caller,
  ): Promise<Output<"decide_approval">> {
    const { decision, note = null, always } = input;
    const { id, approval_id } = await findApproval(context, caller, input.approval_id);
    const { head: before } = await findSession(context, caller.owner, id);
    const asked = before.approvals.find((approval) => approval.id === approval_id);
    if (asked?.kind === "recovery") {
      if (decision === "rejected") throw notYesOrNo(approval_id);
      await answerRecovery(context, caller, approval_id, "continue", false);
      return { approval_id, decision, session_id: before.session_id };
    }
    const { head } = await changeSession(context, caller, {
      id,
      retry: retryOf("decide_approval", input),
      commands: () => [{ type: "decide_approval", approval_id, decision, note, always }],
    });
    return { approval_id, decision, session_id: head.session_id };
  },
};

function notYesOrNo(approval_id: string): BelayError {
  const message = `this question has other answers: belay answer ${approval_id} continue|rollback|abort`;
  return new BelayError(refuse("invalid_input", message, { approval_id }));
}

export async function readOpenApprovals(
  store: StreamStore,
  id: string,
  head: SessionHead,
): Promise<Approval[]> {
  const events = await Promise.all(
    head.approvals.map((open) => store.readEvents(id, { after: open.seq - 1, limit: 1 })),
  );
  return events.flat().flatMap((stored) => {
    const event = knownEvent(stored);
    if (event.type !== "approval.requested") return [];
    const { approval_id, kind, title, body, expires_at, options = [] } = event.data;
    return [
      {
        approval_id,
        session_id: head.session_id,
        agent_name: head.agent_name,
        kind,
        title,
        body,
        requested_at: iso(event.at),
        expires_at: expires_at === null ? null : iso(expires_at),
        options,
      },
    ];
  });
}
