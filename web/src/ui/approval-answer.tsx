import { useEffect, useId, useRef, useState } from "react";
import type { PermissionKind } from "../../../src/contract/vocabulary.ts";
import { useShortcut } from "../shell/shortcuts.ts";
import { AnsweredElsewhere, AnswerFailed } from "./answer-failed.tsx";
import { Button } from "./button.tsx";
import { ANSWERS, type GivenAnswer, useAnswer } from "./use-answer.ts";

const WORDS = {
  allow_once: "Allow once",
  allow_always: "Allow always",
  reject_once: "Reject once",
  reject_always: "Reject always",
  approve: "Approve",
  reject: "Reject",
} as const satisfies Record<GivenAnswer, string>;

/** In this order, however the agent has listed them; refusing comes last. */
const ORDER = [
  "allow_once",
  "allow_always",
  "approve",
  "reject_once",
  "reject_always",
  "reject",
] as const satisfies readonly GivenAnswer[];

const KEYS: Partial<Record<GivenAnswer, string>> = {
  allow_once: "y",
  approve: "y",
  allow_always: "a",
  reject_once: "n",
  reject: "n",
};

/** A key pressed once too often must not answer the next question, which nobody has read. */
const READ_MS = 400;

interface ApprovalAnswerProps {
  readonly asked: { readonly approval_id: string; readonly options: readonly PermissionKind[] };
  /** With the keys y, n and a: where it is clear which question they answer. */
  readonly keys?: boolean;
  /** False when the question has gone from the list meanwhile. */
  readonly isOpen?: boolean;
  onAnswered?: (() => void) | undefined;
}

/** Answers a permission or a question with exactly what was offered. Give it the approval's id as `key`. */
export function ApprovalAnswer({
  asked,
  keys = false,
  isOpen = true,
  onAnswered,
}: ApprovalAnswerProps) {
  const { mutate, isPending, isSuccess, error } = useAnswer(asked.approval_id, onAnswered);
  const [note, setNote] = useState("");
  const noteId = useId();
  const shownAt = useShownAt();
  const answers = answersTo(asked.options);
  const isDone = isPending || isSuccess;
  const give = (answer: GivenAnswer): void => {
    if (!isDone) mutate({ answer, note: note.trim() });
  };
  if (!isOpen && !isDone) return <AnsweredElsewhere error={error} onClose={onAnswered} />;
  const first = answers.find((answer) => ANSWERS[answer].decision === "approved");
  return (
    <div className="space-y-2">
      <div className="flex flex-wrap gap-2">
        {answers.map((answer) => (
          <Button
            key={answer}
            look={answer === first ? "primary" : "plain"}
            disabled={isDone}
            focusableWhenDisabled
            onClick={() => give(answer)}
          >
            {WORDS[answer]}
            {keys && KEYS[answer] && <Key of={KEYS[answer]} />}
          </Button>
        ))}
      </div>
      <div>
        <label htmlFor={noteId} className="sr-only">
          Note to go with the answer
        </label>
        <input
          id={noteId}
          value={note}
          onChange={({ target }) => setNote(target.value)}
          placeholder="Note (optional)"
          className="min-h-9 w-full max-w-md rounded-md border border-line bg-panel px-3 text-sm placeholder:text-faint"
        />
      </div>
      <AnswerFailed error={error} />
      {keys &&
        answers.map((answer) => {
          const key = KEYS[answer];
          if (!key) return null;
          const run = (isRepeat: boolean) =>
            !isRepeat && Date.now() - shownAt.current > READ_MS && give(answer);
          return <AnswerKey key={answer} keys={key} label={WORDS[answer]} run={run} />;
        })}
    </div>
  );
}

/** Nothing offered means yes or no. */
function answersTo(options: readonly PermissionKind[]): readonly GivenAnswer[] {
  const offered = new Set<GivenAnswer>(options.length > 0 ? options : ["approve", "reject"]);
  return ORDER.filter((answer) => offered.has(answer));
}

function useShownAt() {
  const at = useRef(Number.POSITIVE_INFINITY);
  useEffect(() => {
    at.current = Date.now();
  }, []);
  return at;
}

interface AnswerKeyProps {
  readonly keys: string;
  readonly label: string;
  run(isRepeat: boolean): void;
}

function AnswerKey({ keys, label, run }: AnswerKeyProps) {
  useShortcut(keys, label, run);
  return null;
}

/** Says which key does the same; those who hear the page find it in the help. */
function Key({ of }: { readonly of: string }) {
  return (
    <kbd
      aria-hidden
      className="rounded border border-current px-1 font-mono text-xs opacity-70 max-md:hidden"
    >
      {of}
    </kbd>
  );
}
