import type { Session } from "../../../src/contract/session.ts";
import { type Action, isPossible, SHOWN } from "../session/session-actions.ts";
import { useShortcut } from "../shell/shortcuts.ts";

interface ListKeys {
  move(by: number): void;
  current(): Session | null;
  open(id: string): void;
  begin(action: Action, session: Session): void;
}

/** The keys of the list. */
export function useListKeys({ move, current, open, begin }: ListKeys): void {
  const act =
    (...actions: readonly Action[]) =>
    (isRepeat: boolean): void => {
      const session = isRepeat ? null : current();
      const action = session && actions.find((each) => isPossible(each, session));
      if (session && action) begin(action, session);
    };
  useShortcut("j", "Next session", () => move(1));
  useShortcut("k", "Previous session", () => move(-1));
  useShortcut("ArrowDown", "Next session", () => move(1));
  useShortcut("ArrowUp", "Previous session", () => move(-1));
  useShortcut("Enter", "Open the session", (isRepeat) => {
    const session = isRepeat ? null : current();
    if (session) open(session.session_id);
  });
  useShortcut(SHOWN.suspend.key, "Suspend or resume the session", act("suspend", "resume"));
  useShortcut(SHOWN.rename.key, "Rename the session", act("rename"));
  useShortcut(SHOWN.pin.key, "Pin or unpin the session", act("pin", "unpin"));
  useShortcut(SHOWN.archive.key, "Archive the session (asks first)", act("archive"));
  useShortcut(SHOWN.cancel.key, "Cancel the session (asks first)", act("cancel"));
  useShortcut(SHOWN.delete.key, "Move the session to the trash", act("delete"));
}
