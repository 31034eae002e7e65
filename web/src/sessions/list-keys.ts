import type { Session } from "../../../src/contract/session.ts";
import { useShortcut } from "../shell/shortcuts.ts";

interface ListKeys {
  move(by: number): void;
  current(): Session | null;
  open(id: string): void;
}

/** The keys of the list; they navigate and change nothing. */
export function useListKeys({ move, current, open }: ListKeys): void {
  useShortcut("j", "Next session", () => move(1));
  useShortcut("k", "Previous session", () => move(-1));
  useShortcut("ArrowDown", "Next session", () => move(1));
  useShortcut("ArrowUp", "Previous session", () => move(-1));
  useShortcut("Enter", "Open the session", (isRepeat) => {
    const session = isRepeat ? null : current();
    if (session) open(session.session_id);
  });
}
