import { useMutation } from "@tanstack/react-query";
import {
  type KeyboardEvent,
  useEffect,
  useEffectEvent,
  useId,
  useRef,
  useState,
  useSyncExternalStore,
} from "react";
import { Unreachable } from "../../api/api-error.ts";
import { sendMessage } from "../../api/send.ts";
import { useShortcut } from "../../shell/shortcuts.ts";
import { Button } from "../../ui/button.tsx";
import { explain } from "../../ui/states.tsx";
import { AddFile } from "./add-file.tsx";
import { outboxOf } from "./message-outbox.ts";

interface ComposerProps {
  readonly id: string;
  /** True if the run is complete: a message starts the next. */
  readonly isContinued: boolean;
  /** True if a turn runs: a message waits for it. */
  readonly isQueued: boolean;
  readonly hasRecovery: boolean;
  readonly canAddFiles: boolean;
  onSent(): void;
}

/** The input for messages to the agent. It stays editable while a message is being sent. */
export function Composer(props: ComposerProps) {
  const { id, isContinued, isQueued, hasRecovery, canAddFiles, onSent } = props;
  const outbox = outboxOf(id);
  const { text, waiting, isSending, error, sent } = useSyncExternalStore(
    outbox.subscribe,
    outbox.read,
  );
  const box = useRef<HTMLTextAreaElement>(null);
  const [label, failure] = [useId(), useId()];
  const { mutateAsync } = useMutation({
    mutationFn: (message: string) => sendMessage(id, message),
  });
  useShortcut("m", "Write a message", () => box.current?.focus());
  useWhenSent(sent, onSent);

  const submit = (): void => void outbox.send(mutateAsync);
  const press = (event: KeyboardEvent): void => {
    if (event.key !== "Enter" || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    submit();
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        submit();
        box.current?.focus();
      }}
    >
      {waiting.length > 0 && (
        <ul aria-label="Messages being sent" className="mb-2 max-h-32 space-y-1 overflow-y-auto">
          {waiting.map((message, nth) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: two messages may say the same, and they keep their order
            <li key={nth} className="flex items-baseline gap-2 text-sm">
              <span className="shrink-0 rounded-full bg-info-soft px-2 text-xs text-info">
                {isSending ? "sending" : "not sent"}
              </span>
              <span className="min-w-0 truncate text-soft">{message.slice(0, 300)}</span>
            </li>
          ))}
        </ul>
      )}
      <label htmlFor={label} className="sr-only">
        Message to the agent
      </label>
      <div className="flex items-end gap-2 rounded-lg border border-line bg-page p-1.5 focus-within:border-accent">
        <textarea
          id={label}
          ref={box}
          data-composer
          rows={1}
          dir="auto"
          value={text}
          onChange={({ target }) => outbox.write(target.value)}
          onKeyDown={press}
          placeholder={isContinued ? "Continue this session" : "Message the agent"}
          aria-invalid={error !== null}
          aria-describedby={error === null ? undefined : failure}
          className="field-sizing-content max-h-[40vh] min-h-9 w-full min-w-0 flex-1 resize-none bg-transparent px-2 py-1.5 outline-none placeholder:text-faint"
        />
        <Button type="submit" look="primary" disabled={text.trim() === ""}>
          {isContinued ? "Continue" : isQueued ? "Queue" : "Send"}
        </Button>
      </div>
      <div className="mt-1 flex flex-wrap items-center justify-between gap-x-4 max-sm:justify-end">
        <p className="text-xs text-faint max-sm:hidden">
          {hasRecovery
            ? "Answer the recovery question above first."
            : isQueued
              ? "Enter sends the message. The agent reads it after the running turn."
              : "Enter sends the message. Shift+Enter adds a line."}
        </p>
        {canAddFiles && <AddFile id={id} />}
      </div>
      <div role="alert" id={failure}>
        {error !== null && (
          <div className="mt-1 flex flex-wrap items-center gap-2 rounded-md bg-bad-soft px-3 py-1.5 text-sm text-bad">
            <p className="min-w-0 flex-1 basis-64 break-words">
              Not sent:{" "}
              {error instanceof Unreachable
                ? "the server does not answer. Your text is kept. Send it again when the server is back."
                : explain(error)}
            </p>
            {waiting.length > 0 && (
              <>
                <Button onClick={submit}>Send again</Button>
                <Button
                  onClick={() => {
                    outbox.returnToInput();
                    box.current?.focus();
                  }}
                >
                  Edit
                </Button>
              </>
            )}
          </div>
        )}
      </div>
    </form>
  );
}

/** Calls back for messages that are sent while the composer is shown. */
function useWhenSent(sent: number, onSent: () => void): void {
  const [before] = useState(sent);
  const notify = useEffectEvent(onSent);
  useEffect(() => {
    if (sent > before) notify();
  }, [sent, before]);
}

/** Moves the focus from the removed element `left` to the composer. Not on a phone, where the keyboard would open. */
export function focusComposer(left: HTMLElement | null): void {
  const { activeElement: active, body } = document;
  const isLeaving = active === body || left?.contains(active) === true;
  if (!isLeaving || !window.matchMedia("(pointer: fine)").matches) return;
  document.querySelector<HTMLElement>("[data-composer]")?.focus();
}
