import type { Session } from "../../../src/contract/session.ts";
import { useShortcut } from "../shell/shortcuts.ts";
import { type Action, isPossible, SHOWN } from "./session-actions.ts";

interface ListKeys {
  move(by: number): void;
  current(): Session | null;
  begin(action: Action, session: Session): void;
}

/** The keys of the list. Enter is the link's own, which has the focus. */
export function useListKeys({ move, current, begin }: ListKeys): void {
  const act =
    (...actions: readonly Action[]) =>
    (): void => {
      const session = current();
      const action = session && actions.find((each) => isPossible(each, session));
      if (session && action) begin(action, session);
    };
  useListKey("j", "Next session (Enter opens it)", () => move(1));
  useListKey("k", "Previous session", () => move(-1));
  useListKey("ArrowDown", "Next session", () => move(1));
  useListKey("ArrowUp", "Previous session", () => move(-1));
  useListKey(SHOWN.suspend.key, "Suspend or resume the session", act("suspend", "resume"));
  useListKey(SHOWN.rename.key, "Rename the session", act("rename"));
  useListKey(SHOWN.pin.key, "Pin or unpin the session", act("pin", "unpin"));
  useListKey(SHOWN.archive.key, "Archive the session (asks first)", act("archive"));
  useListKey(SHOWN.cancel.key, "Cancel the session (asks first)", act("cancel"));
  useListKey(SHOWN.delete.key, "Move the session to the trash", act("delete"));
}

/** Not while a menu or a dialog has the focus: its keys are its own. */
export function useListKey(keys: string, label: string, run: () => void): void {
  useShortcut(keys, label, () => {
    if (!document.activeElement?.closest("[role=menu],[role=dialog],[role=alertdialog]")) run();
  });
}
