import { useMutation } from "@tanstack/react-query";
import { type KeyboardEvent, useId, useRef, useState } from "react";
import { Unreachable } from "../api/api-error.ts";
import { call } from "../api/call.ts";
import { sendMessage } from "../api/send.ts";
import { useShortcut } from "../shell/shortcuts.ts";
import { Button } from "../ui/button.tsx";
import { explain } from "../ui/states.tsx";
import { useDraft } from "./use-draft.ts";

interface ComposerProps {
  readonly id: string;
  /** Its run is complete: a message begins the next. */
  readonly isContinued: boolean;
  /** A turn runs: a message waits for it. */
  readonly isQueued: boolean;
  readonly hasRecovery: boolean;
  onSent(): void;
}

/** How quickly the second Escape follows the first. */
const TWICE_MS = 800;

/** What one says to the agent. It stays in the box until the server has it, and a draft survives going away. */
export function Composer({ id, isContinued, isQueued, hasRecovery, onSent }: ComposerProps) {
  const [text, setText] = useDraft(id);
  const [escapedAt, setEscapedAt] = useState(0);
  const box = useRef<HTMLTextAreaElement>(null);
  const [label, error] = [useId(), useId()];
  const send = useMutation({
    mutationFn: (message: string) => sendMessage(id, message),
    onSuccess: () => {
      setText("");
      box.current?.focus();
      onSent();
    },
    onError: () => box.current?.focus(),
  });
  const interrupt = useMutation({ mutationFn: () => call("interrupt", { id }) });
  useShortcut("m", "Write a message", () => box.current?.focus());

  const submit = (): void => {
    if (text.trim() !== "" && !send.isPending) send.mutate(text);
  };
  const press = (event: KeyboardEvent): void => {
    if (event.key === "Enter" && !event.shiftKey && !event.nativeEvent.isComposing) {
      event.preventDefault();
      submit();
    }
    if (event.key !== "Escape") return;
    if (isQueued && event.timeStamp - escapedAt < TWICE_MS) interrupt.mutate();
    setEscapedAt(event.timeStamp);
  };
  const failure = send.error ?? interrupt.error;
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      <label htmlFor={label} className="sr-only">
        Message to the agent
      </label>
      <div className="flex items-end gap-2 rounded-lg border border-line bg-page p-1.5 focus-within:border-accent">
        <textarea
          id={label}
          ref={box}
          rows={1}
          value={text}
          disabled={send.isPending}
          onChange={({ target }) => setText(target.value)}
          onKeyDown={press}
          placeholder={isContinued ? "Continue this session" : "Message the agent"}
          aria-invalid={failure !== null}
          aria-describedby={failure === null ? undefined : error}
          className="field-sizing-content max-h-[40vh] min-h-9 w-full min-w-0 flex-1 resize-none bg-transparent px-2 py-1.5 outline-none placeholder:text-faint disabled:opacity-60"
        />
        <Button
          type="submit"
          look="primary"
          disabled={text.trim() === "" || send.isPending}
          focusableWhenDisabled
        >
          {send.isPending ? "Sending …" : isContinued ? "Continue" : isQueued ? "Queue" : "Send"}
        </Button>
      </div>
      <p className="mt-1 text-xs text-faint max-sm:hidden">
        {hasRecovery
          ? "Recovery asks something above: it should be answered first."
          : isQueued
            ? "Enter queues it behind the turn that runs. Esc Esc interrupts."
            : "Enter sends, Shift+Enter begins a new line."}
      </p>
      <div role="alert" id={error}>
        {failure !== null && (
          <p className="mt-1 rounded-md bg-bad-soft px-3 py-1.5 text-sm text-bad">
            {send.error ? "Not sent: " : "That did not work: "}
            {failure instanceof Unreachable
              ? "the server does not answer. Your text stays here: send it again when it is back."
              : explain(failure)}
          </p>
        )}
      </div>
    </form>
  );
}
