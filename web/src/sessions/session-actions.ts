import type { Session } from "../../../src/contract/session.ts";
import { STATUS_RULES } from "../../../src/core/status-rules.ts";
import { call } from "../api/call.ts";

/** What can be done with a session from the list, in the order of the menu. */
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
  /** Two that never go together may share one. */
  readonly key: string;
  /** What is asked before it, where it cannot be taken back. */
  readonly asks?: { readonly title: string; readonly text: string; readonly confirm: string };
}

export const SHOWN = {
  suspend: { label: "Suspend", key: "s" },
  resume: { label: "Resume", key: "s" },
  rename: { label: "Rename …", key: "r" },
  pin: { label: "Pin", key: "p" },
  unpin: { label: "Unpin", key: "p" },
  cancel: {
    label: "Cancel …",
    key: "x",
    asks: {
      title: "Cancel this session?",
      text: "Its agent is stopped and it takes no more messages. It stays readable among the archived ones.",
      confirm: "Cancel it",
    },
  },
  archive: {
    label: "Archive …",
    key: "e",
    asks: {
      title: "Archive this session?",
      text: "It is put away for good: it stays readable and can be forked, but takes no more messages.",
      confirm: "Archive it",
    },
  },
  delete: { label: "Move to trash", key: "#" },
} as const satisfies Record<Action, Shown>;

/** What each is called in the model's rules. */
const COMMANDS = {
  suspend: "suspend",
  resume: "resume",
  rename: "rename",
  pin: "pin",
  unpin: "unpin",
  cancel: "finalize",
  archive: "archive",
  delete: "delete",
} as const satisfies Record<Action, keyof typeof STATUS_RULES>;

export function isPossible(action: Action, session: Session): boolean {
  if (session.deleted_at !== null) return false;
  if (action === "pin") return !session.pinned;
  if (action === "unpin") return session.pinned;
  return STATUS_RULES[COMMANDS[action]][session.status] === "ok";
}

/** Does it, and answers the session as it is then. */
export async function perform(action: Action, id: string, title = ""): Promise<Session> {
  if (action === "rename") await call("rename", { id, title });
  else await call(action, { id });
  return call("get", { id });
}
