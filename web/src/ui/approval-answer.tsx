import { type RefObject, useEffect, useId, useRef, useState } from "react";
import { describeMissing, SWITCHES_MODE } from "../../../src/contract/approval/choice-words.ts";
import { visibleLine } from "../../../src/contract/visible-text.ts";
import { useShortcut } from "../shell/shortcuts.ts";
import { AnsweredElsewhere, AnswerFailed } from "./answer-failed.tsx";
import { Button } from "./button.tsx";
import { Confirm } from "./confirm.tsx";
import { Key } from "./key.tsx";
import {
  isReservedAnswer,
  type Offer,
  type OfferedAnswer,
  offeredAnswers,
} from "./offered-answers.ts";
import { useAnswer } from "./use-answer.ts";

const APPROVE_KEYS = "Mod+Enter";

/** A key pressed once too often must not answer the next question, which nobody has read. */
const READ_MS = 400;

interface ApprovalAnswerProps {
  readonly asked: Offer & { readonly approval_id: string };
  /** The digest of the question as it is shown; undefined until it is loaded. */
  readonly digest: string | undefined;
  /** True if approving changes what the agent may do without asking. */
  readonly switchesMode: boolean;
  /**
   * The element that must have the focus for the approve key; without it, anywhere on the page. Its class must contain
   * "group/card".
   */
  readonly card?: RefObject<HTMLElement | null>;
  /** False if the person is not the owner of the session, who alone can give some answers. */
  readonly isOwner?: boolean;
  /** False if the question has disappeared from the list. */
  readonly isOpen?: boolean;
  onAnswered?: (() => void) | undefined;
}

/** Answers a permission or a question with the offered choices. The caller must use the approval's id as `key`. */
export function ApprovalAnswer(props: ApprovalAnswerProps) {
  const { asked, digest, switchesMode, card, isOwner = true, isOpen = true, onAnswered } = props;
  const { mutate, isPending, isSuccess, error } = useAnswer(asked.approval_id, digest, onAnswered);
  const [note, setNote] = useState("");
  const [confirmed, confirm] = useState<OfferedAnswer | null>(null);
  const noteId = useId();
  const shownAt = useShownAt();
  const buttons = useRef<HTMLDivElement>(null);
  const offered = offeredAnswers(asked);
  const answers = offered.filter((answer) => isOwner || !isReservedAnswer(answer, switchesMode));
  const reserved = offered.length - answers.length;
  const limits = describeLimits(asked, reserved);
  const isDone = isPending || isSuccess;
  const isReady = digest !== undefined && !isDone;
  const give = (answer: OfferedAnswer): void => {
    if (isReady) mutate({ answer, note: note.trim() });
  };
  const once = answers.filter(({ approvesOnce }) => approvesOnce);
  const approval = once.length === 1 ? once[0] : undefined;
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
      {limits !== null && <p className="text-sm text-soft">{limits}</p>}
      <div ref={buttons} className="flex scroll-mb-16 flex-wrap gap-2">
        {answers.map((answer) => (
          <Button
            key={answer.key}
            look={answer === approval ? "primary" : "plain"}
            className="max-w-full text-left wrap-anywhere whitespace-normal!"
            disabled={!isReady}
            onClick={() => (answer.confirm === null ? give(answer) : confirm(answer))}
          >
            {visibleLine(answer.label)}{" "}
            {answer.effect !== null && (
              <span className="shrink-0 text-xs font-normal">({answer.effect})</span>
            )}
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
      <Confirm
        open={confirmed !== null}
        title={`${visibleLine(confirmed?.label ?? "")}?`}
        confirm={confirmed?.confirm ?? ""}
        cancel="Cancel"
        onConfirm={() => confirmed && give(confirmed)}
        onClose={() => confirm(null)}
      >
        {confirmed && describeConsequence(confirmed, switchesMode)}
      </Confirm>
    </div>
  );
}

const ALWAYS = {
  approved: "The agent will not ask again before tool calls like this one.",
  rejected: "The agent will be refused tool calls like this one without asking you again.",
} as const satisfies Record<OfferedAnswer["decision"], string>;

/** Explains why some answers are missing. */
function describeLimits(asked: Offer, reserved: number): string | null {
  const { kind, options, choices, missing_choices } = asked;
  if (missing_choices > 0) return describeMissing(missing_choices);
  if (kind === "permission" && options.length === 0 && choices.length === 0) {
    return "The agent offers no options, so this request can only be rejected.";
  }
  if (reserved === 0) return null;
  return `Only the owner can choose ${reserved === 1 ? "1 other option" : `${reserved} other options`}.`;
}

function describeConsequence({ decision, isUnknown }: OfferedAnswer, switches: boolean): string {
  if (isUnknown) return "The agent does not say what this option does.";
  if (switches && decision === "approved") return `This ${SWITCHES_MODE}.`;
  return ALWAYS[decision];
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
