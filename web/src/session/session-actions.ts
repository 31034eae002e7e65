import type { SessionCommandType } from "../../../src/contract/commands.ts";
import type { Session } from "../../../src/contract/session.ts";
import { call } from "../api/call.ts";
import { isAllowed } from "./is-allowed.ts";
import { mayUse, type Role } from "./use-role.ts";

/** The actions on a whole session, in the order of the menu. */
export const ACTIONS = [
  "suspend",
  "resume",
  "rename",
  "pin",
  "unpin",
  "cancel",
  "archive",
  "delete",
] as const;
export type Action = (typeof ACTIONS)[number];

interface Shown {
  readonly label: string;
  /** The confirmation before an action that cannot be undone. */
  readonly asks?: { readonly title: string; readonly text: string; readonly confirm: string };
}

export const SHOWN = {
  suspend: { label: "Suspend" },
  resume: { label: "Resume" },
  rename: { label: "Rename …" },
  pin: { label: "Pin" },
  unpin: { label: "Unpin" },
  cancel: {
    label: "Cancel …",
    asks: {
      title: "Cancel this session?",
      text: "This cannot be undone. The running turn will be stopped, and the session accepts no more messages. You can still read it among archived sessions and fork it.",
      confirm: "Cancel session",
    },
  },
  archive: {
    label: "Archive …",
    asks: {
      title: "Archive this session?",
      text: "This cannot be undone. The session accepts no more messages and is hidden from lists. You can still read it and fork it.",
      confirm: "Archive session",
    },
  },
  delete: { label: "Move to trash" },
} as const satisfies Record<Action, Shown>;

/** The command of each action in the model's rules. */
const COMMANDS = {
  suspend: "suspend",
  resume: "resume",
  rename: "rename",
  pin: "pin",
  unpin: "unpin",
  cancel: "finalize",
  archive: "archive",
  delete: "delete",
} as const satisfies Record<Action, SessionCommandType>;

export function isPossible(action: Action, session: Session, role: Role): boolean {
  if (!mayUse(role, action)) return false;
  if (action === "pin" && session.pinned) return false;
  if (action === "unpin" && !session.pinned) return false;
  return isAllowed(COMMANDS[action], session);
}

/** Performs the action and returns the session afterwards. */
export async function perform(action: Action, id: string, title = ""): Promise<Session> {
  if (action === "rename") await call("rename", { id, title });
  else await call(action, { id });
  return call("get", { id });
}

/** The confirmation before an action; null if it can be undone. */
export function questionBefore(action: Action): Shown["asks"] | null {
  const shown: Shown = SHOWN[action];
  return shown.asks ?? null;
}
