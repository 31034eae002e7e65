import { type RefObject, useEffect, useId, useRef, useState } from "react";
import type { PermissionKind } from "../../../src/contract/vocabulary.ts";
import { useShortcut } from "../shell/shortcuts.ts";
import { AnsweredElsewhere, AnswerFailed } from "./answer-failed.tsx";
import { Button } from "./button.tsx";
import { Confirm } from "./confirm.tsx";
import { Key } from "./key.tsx";
import { ANSWERS, type GivenAnswer, useAnswer } from "./use-answer.ts";

const WORDS = {
  allow_once: "Approve",
  allow_always: "Approve always",
  reject_once: "Reject",
  reject_always: "Reject always",
  approve: "Approve",
  reject: "Reject",
} as const satisfies Record<GivenAnswer, string>;

/** Always in this order, however the agent listed them; rejecting comes last. */
const ORDER = [
  "allow_once",
  "allow_always",
  "approve",
  "reject_once",
  "reject_always",
  "reject",
] as const satisfies readonly GivenAnswer[];

const APPROVE_KEYS = "Mod+Enter";

/** A key pressed once too often must not answer the next question, which nobody has read. */
const READ_MS = 400;

interface ApprovalAnswerProps {
  readonly asked: { readonly approval_id: string; readonly options: readonly PermissionKind[] };
  /**
   * The element that must have the focus for the approve key; without it, anywhere on the page. Its class must contain
   * "group/card".
   */
  readonly card?: RefObject<HTMLElement | null>;
  /** False if only the owner of the session can answer "always", and the person is not. */
  readonly canAlways?: boolean;
  /** False if the question has disappeared from the list. */
  readonly isOpen?: boolean;
  onAnswered?: (() => void) | undefined;
}

/** Answers a permission or a question with the offered choices. The caller must use the approval's id as `key`. */
export function ApprovalAnswer(props: ApprovalAnswerProps) {
  const { asked, card, canAlways = true, isOpen = true, onAnswered } = props;
  const { mutate, isPending, isSuccess, error } = useAnswer(asked.approval_id, onAnswered);
  const [note, setNote] = useState("");
  const [confirmed, confirm] = useState<GivenAnswer | null>(null);
  const noteId = useId();
  const shownAt = useShownAt();
  const buttons = useRef<HTMLDivElement>(null);
  const answers = answersTo(asked.options).filter((answer) => canAlways || !ANSWERS[answer].always);
  const isDone = isPending || isSuccess;
  const give = (answer: GivenAnswer): void => {
    if (!isDone) mutate({ answer, note: note.trim() });
  };
  const approval = answers.find(approvesOnce);
  useShortcut(
    APPROVE_KEYS,
    card ? "Approve (while the question has the focus)" : "Approve",
    (isRepeat) => {
      const isRead = Date.now() - shownAt.current > READ_MS;
      if (!approval || !isOpen || !isRead || isRepeat) return;
      if (isInSight(buttons.current)) give(approval);
      else buttons.current?.scrollIntoView({ block: "end" });
    },
    card ?? null,
  );
  if (!isOpen && !isDone) {
    const { approval_id } = asked;
    return <AnsweredElsewhere approval_id={approval_id} error={error} onClose={onAnswered} />;
  }
  return (
    <div className="space-y-2">
      <div ref={buttons} className="flex scroll-mb-16 flex-wrap gap-2">
        {answers.map((answer) => (
          <Button
            key={answer}
            look={answer === approval ? "primary" : "plain"}
            disabled={isDone}
            onClick={() => (ANSWERS[answer].always ? confirm(answer) : give(answer))}
          >
            {WORDS[answer]}
          </Button>
        ))}
        {/* Keeps its space while it is hidden, because moving buttons are misclicked. */}
        {approval && (
          <p
            aria-hidden
            className={`self-center text-xs text-soft max-md:hidden ${card ? "invisible group-focus-within/card:visible" : ""}`}
          >
            <Key keys={APPROVE_KEYS} /> approves
          </p>
        )}
      </div>
      <div>
        <label htmlFor={noteId} className="sr-only">
          Note to send with the answer
        </label>
        <input
          id={noteId}
          value={note}
          dir="auto"
          onChange={({ target }) => setNote(target.value)}
          placeholder="Note (optional)"
          className="min-h-9 w-full max-w-md rounded-md border border-line bg-panel px-3 text-sm placeholder:text-faint"
        />
      </div>
      <AnswerFailed error={error} />
      {answers
        .filter((answer) => ANSWERS[answer].always)
        .map((answer) => (
          <Confirm
            key={answer}
            open={confirmed === answer}
            title={`${WORDS[answer]}?`}
            confirm={WORDS[answer]}
            cancel="Cancel"
            onConfirm={() => give(answer)}
            onClose={() => confirm(null)}
          >
            {ANSWERS[answer].decision === "approved"
              ? "The agent will not ask again before tool calls like this one."
              : "The agent will be refused tool calls like this one without asking you again."}
          </Confirm>
        ))}
    </div>
  );
}

/** Without options, the choices are yes and no. */
function answersTo(options: readonly PermissionKind[]): readonly GivenAnswer[] {
  const offered = new Set<GivenAnswer>(options.length > 0 ? options : ["approve", "reject"]);
  return ORDER.filter((answer) => offered.has(answer));
}

function approvesOnce(answer: GivenAnswer): boolean {
  return ANSWERS[answer].decision === "approved" && !ANSWERS[answer].always;
}

function useShownAt() {
  const at = useRef(Number.POSITIVE_INFINITY);
  useEffect(() => {
    at.current = Date.now();
  }, []);
  return at;
}

/** The answer is below the question: if it is not visible, the end of the question may be unread. */
function isInSight(element: HTMLElement | null): boolean {
  if (!element) return false;
  const { left, top, height } = element.getBoundingClientRect();
  return element.contains(document.elementFromPoint(left + 1, top + height / 2));
}
