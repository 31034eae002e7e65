import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { ownerIn } from "../../../src/contract/id-pattern.ts";
import type { Approval } from "../../../src/contract/session.ts";
import { visibleLine } from "../../../src/contract/visible-text.ts";
import { switchesMode } from "../../../src/core/session/choose-option.ts";
import { call } from "../api/call.ts";
import { CannotAnswer } from "../session/cannot-answer.tsx";
import { mayAnswer, useRole } from "../session/use-role.ts";
import { ApprovalAnswer } from "../ui/approval-answer.tsx";
import { RecoveryAnswer } from "../ui/recovery-answer.tsx";
import { exactTime, TimeAgo } from "../ui/time-ago.tsx";
import { KindBadge } from "./kind-badge.tsx";
import { QuestionEvidence } from "./question-evidence.tsx";
import { sessionName } from "./question-list.tsx";

interface QuestionDetailProps {
  readonly approval: Approval;
  /** False if it was answered elsewhere while it is shown here. */
  readonly isOpen: boolean;
  /** Next to the list it fills the height. The answer is below the question, so that its end is seen first. */
  readonly isBeside: boolean;
  onAnswered(): void;
}

/** One question with everything needed to answer it. */
export function QuestionDetail({ approval, isOpen, isBeside, onAnswered }: QuestionDetailProps) {
  const { approval_id, kind, title, rollback, session_id } = approval;
  const role = useRole(session_id);
  const shared = { isOpen, onAnswered };
  return (
    <section
      aria-label={title}
      className={isBeside ? "h-full overflow-y-auto" : "border-t border-line bg-page"}
    >
      <div className={`space-y-4 p-4 ${isBeside ? "md:p-6" : ""}`}>
        <header>
          {/* The row above says the same if there is no room next to the list. */}
          {isBeside && <KindBadge kind={kind} />}
          <h2 className={isBeside ? "mt-2 max-w-3xl text-lg font-semibold break-words" : "sr-only"}>
            {visibleLine(title)}
          </h2>
          <Facts approval={approval} />
        </header>
        <QuestionEvidence approval={approval} />
      </div>
      <div className={`border-line p-4 ${isBeside ? "border-t md:px-6" : "pt-0"}`}>
        {!approval.answerable ? (
          <p className="text-sm text-bad">
            This question can no longer be answered: the process that asked has ended, and its turn
            was lost. Open the session to retry or discard it.
          </p>
        ) : isOpen && !mayAnswer(role, kind) ? (
          <CannotAnswer id={session_id} kind={kind} />
        ) : kind === "recovery" ? (
          <RecoveryAnswer
            key={approval_id}
            {...shared}
            approval_id={approval_id}
            rollback={rollback}
          />
        ) : (
          <ApprovalAnswer
            key={approval_id}
            {...shared}
            asked={approval}
            digest={approval.digest}
            switchesMode={switchesMode(title, approval.action?.type)}
            isOwner={role === "owner"}
          />
        )}
      </div>
    </section>
  );
}

function Facts({ approval }: { readonly approval: Approval }) {
  const { session_id, agent_name, requested_at, expires_at, seq } = approval;
  const owner = ownerIn(session_id);
  return (
    <dl className="mt-2 flex flex-wrap gap-x-5 gap-y-1 text-sm [&>div]:flex [&>div]:min-w-0 [&>div]:gap-1.5 [&_dt]:text-faint">
      <div>
        <dt>Session</dt>
        <dd className="min-w-0">
          <Link
            to="/s/$id"
            params={{ id: session_id }}
            search={{ at: seq }}
            className="break-words text-accent underline underline-offset-2"
          >
            {sessionName(approval)}
          </Link>
        </dd>
      </div>
      {owner !== null && (
        <div>
          <dt>Shared by</dt>
          <dd>{owner}</dd>
        </div>
      )}
      <div>
        <dt>Agent</dt>
        <dd>{agent_name}</dd>
      </div>
      <SessionPlace id={session_id} />
      <div>
        <dt>Asked</dt>
        <dd>
          <TimeAgo at={requested_at} />
        </dd>
      </div>
      {expires_at !== null && (
        <div>
          <dt>Expires</dt>
          <dd className="text-warn" title={exactTime(expires_at)}>
            <TimeAgo at={expires_at} />
          </dd>
        </div>
      )}
    </dl>
  );
}

/** The folder and branch of a session; empty if unknown. */
function SessionPlace({ id }: { readonly id: string }) {
  const { data } = useQuery({
    queryKey: ["session", id, "get"],
    queryFn: ({ signal }) => call("get", { id }, signal),
  });
  const cwd = data?.project?.cwd ?? data?.project?.repo ?? null;
  const branch = data?.project?.branch ?? null;
  if (cwd === null && branch === null) return null;
  return (
    <div>
      <dt>Project</dt>
      <dd className="min-w-0 break-words" title={cwd ?? undefined}>
        {cwd?.split(/[\\/]/).findLast((part) => part !== "")}
        {branch !== null && <span className="text-soft"> on {branch}</span>}
      </dd>
    </div>
  );
}
