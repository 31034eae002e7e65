import { type RefObject, useRef } from "react";
import { visibleLine } from "../../../../src/contract/visible-text.ts";
import { switchesMode } from "../../../../src/core/session/choose-option.ts";
import { ApprovalAnswer } from "../../ui/approval-answer.tsx";
import { describeEffects } from "../../ui/effects-words.ts";
import { LineDiff } from "../../ui/line-diff.tsx";
import { LongText } from "../../ui/long-text.tsx";
import { RecoveryAnswer } from "../../ui/recovery-answer.tsx";
import { TimeAgo } from "../../ui/time-ago.tsx";
import { ToolInput } from "../../ui/tool-input.tsx";
import { useIsLate } from "../../ui/use-is-late.ts";
import { CannotAnswer } from "../cannot-answer.tsx";
import { focusComposer } from "../foot/composer.tsx";
import type { Answer, Call, Question } from "../log/entry.ts";
import { whoDecided } from "../log/name-door.ts";
import { mayAnswer, useRole } from "../use-role.ts";
import { useSession } from "../use-session.ts";
import { useConversation } from "./conversation-context.ts";
import { TimeOf } from "./time-of.tsx";
import { useDigest } from "./use-digest.ts";

const ASKS = {
  permission: "Permission requested",
  question: "Question",
  recovery: "Recovery question",
  merge: "Merge question",
} as const satisfies Record<Question["asks"], string>;

/** A question with its buttons or, once answered, its answer. */
export function QuestionView({ question }: { readonly question: Question }) {
  const { sessionId } = useConversation();
  const { answer } = question;
  if (answer) return <Answered question={question} answer={answer} />;
  return sessionId === null ? null : <Asked question={question} sessionId={sessionId} />;
}

interface AskedProps {
  readonly question: Question;
  readonly sessionId: string;
}

function Asked({ question, sessionId }: AskedProps) {
  const { isLive, callOf } = useConversation();
  const { asks, title, body, action_id, expires_at } = question;
  const call = action_id === null ? null : callOf(action_id);
  // A permission's text repeats what its tool call shows better.
  const isTold = call !== null && (call.input !== null || call.diffs.length > 0);
  const isLost = useSession(sessionId).data?.activity === "interrupted" && asks === "permission";
  const isOpen = isLive && !isLost;
  const card = useRef<HTMLElement>(null);
  return (
    <section
      ref={card}
      aria-label={`${ASKS[asks]}: ${title}`}
      // The approve key works while the card has the focus.
      tabIndex={isOpen ? 0 : undefined}
      className={`group/card rounded-lg border px-4 py-3 ${isOpen ? "border-accent bg-accent-soft" : "border-line bg-panel"}`}
    >
      <p className="flex items-baseline justify-between gap-3 text-xs">
        <span className={isOpen ? "font-medium text-accent" : "text-faint"}>
          {ASKS[asks]}
          {isOpen && expires_at !== null && (
            <>
              , expires <TimeAgo at={new Date(expires_at).toISOString()} />
            </>
          )}
        </span>
        <TimeOf entry={question} />
      </p>
      <h3 className={`break-words ${isOpen ? "font-medium" : "text-sm"}`}>{visibleLine(title)}</h3>
      {isOpen && body !== null && !isTold && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
        <div className="mt-1.5 max-h-72 overflow-y-auto text-soft" tabIndex={0}>
          <LongText text={body} />
        </div>
      )}
      {isOpen && call && <About call={call} />}
      {isOpen && <GiveAnswer question={question} card={card} sessionId={sessionId} />}
      {!isLive && <p className="text-sm text-faint">The answer is further below.</p>}
      {isLive && isLost && (
        <p className="text-sm text-bad">
          This question can no longer be answered: the process that asked has ended.
        </p>
      )}
    </section>
  );
}

/** The tool call that the question is about. */
function About({ call }: { readonly call: Call }) {
  return (
    <div className="mt-2 space-y-2 rounded-md border border-line bg-panel p-3">
      <p className="text-xs text-faint">
        {call.tool}
        {call.effects && `, ${describeEffects(call.tool, call.effects)}`}
      </p>
      <ToolInput input={call.input} />
      {call.diffs.map((diff, nth) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: one call may change a file twice
        <LineDiff key={nth} diff={diff} />
      ))}
    </div>
  );
}

interface GiveAnswerProps {
  readonly question: Question;
  readonly card: RefObject<HTMLElement | null>;
  readonly sessionId: string;
}

function GiveAnswer({ question, card, sessionId }: GiveAnswerProps) {
  const { approval_id, asks, rollback } = question;
  const { callOf } = useConversation();
  const call = question.action_id === null ? null : callOf(question.action_id);
  const switches = switchesMode(question.title, call?.tool);
  const digest = useDigest(sessionId, approval_id);
  const role = useRole(sessionId);
  if (!mayAnswer(role, asks)) return <CannotAnswer id={sessionId} kind={asks} />;
  return (
    <div className="mt-3">
      {asks === "recovery" ? (
        <RecoveryAnswer key={approval_id} approval_id={approval_id} rollback={rollback} />
      ) : (
        <ApprovalAnswer
          key={approval_id}
          asked={{ ...question, kind: asks }}
          digest={digest}
          switchesMode={switches}
          card={card}
          isOwner={role === "owner"}
          onAnswered={() => focusComposer(card.current)}
        />
      )}
    </div>
  );
}

const DECIDED = {
  approved: ["✓", "Approved", "text-good"],
  rejected: ["✕", "Rejected", "text-bad"],
  expired: ["■", "Expired", "text-warn"],
  dropped: ["■", "Continued in the other session", "text-faint"],
} as const satisfies Record<Answer["decision"], readonly [string, string, string]>;

interface AnsweredProps {
  readonly question: Question;
  readonly answer: Answer;
}

function Answered({ question, answer }: AnsweredProps) {
  const { decision, note, always, choice, actor, door } = answer;
  const { owner, sessionId } = useConversation();
  const isLate = useIsLate(question.approval_id);
  // A public page has readers of all kinds.
  const reader = owner ?? (sessionId === null ? "the owner" : null);
  const [sign, decided, look] = DECIDED[decision];
  // An answer to recovery is stored as the note.
  const isRecovery = question.asks === "recovery" && note !== null && decision !== "expired";
  const word = isRecovery ? `Answered “${note}”` : decided;
  const isByPerson = decision === "approved" || decision === "rejected";
  return (
    <section
      aria-label={`${ASKS[question.asks]}: ${question.title}`}
      className="flex items-baseline gap-2 rounded-md border border-line px-3 py-1.5 text-sm"
    >
      <p className="min-w-0 flex-1 break-words">
        <span className={`font-medium ${look}`}>
          <span aria-hidden>{sign}</span> {word}
          {always && " always"}
        </span>
        {choice && <span> “{visibleLine(choice.name)}”</span>}
        <span className="text-faint">
          {isByPerson && ` ${whoDecided(actor, door, reader)}`}
          {note !== null && note !== "" && !isRecovery && ` (${note})`}:{" "}
        </span>
        <span className="text-soft">{visibleLine(question.title)}</span>
        {isLate && (
          <span role="alert" className="block text-warn">
            Your answer was not used, because this one came first.
          </span>
        )}
      </p>
      <TimeOf entry={question} />
    </section>
  );
}
