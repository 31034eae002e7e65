import { type ReactNode, useCallback, useState } from "react";
import type { Session } from "../../../src/contract/session.ts";
import { call } from "../api/call.ts";
import { type Action, perform, questionBefore } from "../session/session-actions.ts";
import { Confirm } from "../ui/confirm.tsx";
import type { Change } from "./merge-sessions.ts";
import { RenameDialog } from "./rename-dialog.tsx";
import { nameOf } from "./session-words.ts";

/** The state of an action on a session. */
export type Doing = { readonly is: "busy" } | { readonly is: "failed"; readonly why: string };

export interface Actions {
  /** By session id. */
  readonly doing: ReadonlyMap<string, Doing>;
  /** Asks first if the action cannot be undone, or needs input. */
  begin(action: Action, session: Session): void;
  dismiss(id: string): void;
  /** The session that was last moved to the trash, and can be restored here. */
  readonly trashed: Session | null;
  undo(): void;
  forgetTrashed(): void;
  /** Must be rendered somewhere on the page. */
  readonly dialogs: ReactNode;
}

/** The actions on sessions of a list. Nothing changes there before the server has answered. */
export function useActions(take: (change: Change) => Promise<void>): Actions {
  const [doing, setDoing] = useState<ReadonlyMap<string, Doing>>(new Map());
  const [asked, ask] = useState<{ action: Action; session: Session } | null>(null);
  const [isOpen, setOpen] = useState(false);
  const [trashed, setTrashed] = useState<Session | null>(null);

  const note = useCallback((id: string, now: Doing | null): void => {
    setDoing((before) => {
      const after = new Map(before);
      if (now) after.set(id, now);
      else after.delete(id);
      return after;
    });
  }, []);
  // Stable between renders, because every row gets it.
  const dismiss = useCallback((id: string) => note(id, null), [note]);

  const run = async (id: string, work: () => Promise<Session>): Promise<Session | null> => {
    note(id, { is: "busy" });
    try {
      const session = await work();
      await take({ sessions: [session], gone: [] });
      note(id, null);
      return session;
    } catch (error) {
      note(id, { is: "failed", why: error instanceof Error ? error.message : String(error) });
      return null;
    }
  };

  const go = async (action: Action, session: Session, title?: string): Promise<void> => {
    const id = session.session_id;
    const done = await run(id, () => perform(action, id, title));
    if (done && action === "delete") setTrashed(done);
  };

  const asks = asked ? questionBefore(asked.action) : null;
  return {
    doing,
    begin(action, session) {
      if (doing.get(session.session_id)?.is === "busy") return;
      if (action !== "rename" && !questionBefore(action)) return void go(action, session);
      ask({ action, session });
      setOpen(true);
    },
    dismiss,
    trashed,
    undo() {
      if (!trashed) return;
      const { session_id: id } = trashed;
      setTrashed(null);
      void run(id, async () => {
        await call("undelete", { id });
        return call("get", { id });
      }).then((session) => session || setTrashed(trashed));
    },
    forgetTrashed: () => setTrashed(null),
    dialogs: asked && (
      <>
        {asks && (
          <Confirm
            open={isOpen}
            title={asks.title}
            confirm={asks.confirm}
            onConfirm={() => void go(asked.action, asked.session)}
            onClose={() => setOpen(false)}
          >
            <p className="font-medium break-words text-ink">{nameOf(asked.session)}</p>
            <p className="mt-1">{asks.text}</p>
          </Confirm>
        )}
        {asked.action === "rename" && (
          <RenameDialog
            key={asked.session.session_id}
            open={isOpen}
            session={asked.session}
            onRename={(title) => void go("rename", asked.session, title)}
            onClose={() => setOpen(false)}
          />
        )}
      </>
    ),
  };
}
