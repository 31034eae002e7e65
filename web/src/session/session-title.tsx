import { type FormEvent, useEffect, useRef, useState } from "react";
import type { Session } from "../../../src/contract/session.ts";
import { call } from "../api/call.ts";
import { Button } from "../ui/button.tsx";
import { isAllowed } from "./is-allowed.ts";
import { mayUse, useRole } from "./use-role.ts";
import type { Command } from "./use-session.ts";

interface SessionTitleProps {
  readonly session: Session;
  readonly command: Command;
  readonly isEdited: boolean;
  onEdit(isEdited: boolean): void;
}

/** The title, edited in place. */
export function SessionTitle({ session, command, isEdited, onEdit }: SessionTitleProps) {
  const title = session.title ?? session.session_id;
  const role = useRole(session.session_id);
  if (isEdited) {
    return <TitleForm session={session} command={command} onDone={() => onEdit(false)} />;
  }
  return (
    <h1 className="min-w-0 text-lg leading-6 font-semibold sm:leading-9">
      {mayUse(role, "rename") && isAllowed("rename", session) ? (
        <button
          type="button"
          title={`${title}: rename`}
          dir="auto"
          onClick={() => onEdit(true)}
          className="-mx-1 line-clamp-2 max-w-full cursor-text rounded px-1 text-left break-words hover:bg-raised sm:line-clamp-1"
        >
          {title}
        </button>
      ) : (
        <span dir="auto" className="line-clamp-2 break-words sm:line-clamp-1">
          {title}
        </span>
      )}
    </h1>
  );
}

interface TitleFormProps {
  readonly session: Session;
  readonly command: Command;
  onDone(): void;
}

function TitleForm({ session, command, onDone }: TitleFormProps) {
  const { session_id: id } = session;
  const [title, setTitle] = useState(session.title ?? "");
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => {
    field.current?.focus();
    field.current?.select();
  }, []);
  const keep = (event: FormEvent): void => {
    event.preventDefault();
    const wanted = title.trim();
    if (wanted === "" || wanted === session.title) onDone();
    else command.mutate(() => call("rename", { id, title: wanted }), { onSuccess: onDone });
  };
  return (
    <form onSubmit={keep} className="flex flex-wrap items-center gap-2">
      <h1 className="sr-only">{session.title ?? id}</h1>
      <input
        ref={field}
        aria-label="Title"
        value={title}
        onChange={({ target }) => setTitle(target.value)}
        onKeyDown={({ key }) => key === "Escape" && onDone()}
        className="min-h-9 min-w-0 flex-1 rounded-md border border-line bg-page px-2 text-lg font-semibold"
      />
      <Button type="submit" look="primary" disabled={command.isPending}>
        Rename
      </Button>
      <Button look="quiet" onClick={onDone}>
        Cancel
      </Button>
    </form>
  );
}
