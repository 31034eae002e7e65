import type { Session } from "../../../src/contract/session.ts";
import type { Status } from "../../../src/contract/vocabulary.ts";

const LOOKS = {
  created: "bg-info-soft text-info",
  active: "bg-good-soft text-good",
  suspended: "bg-warn-soft text-warn",
  completed: "bg-raised text-soft",
  failed: "bg-bad-soft text-bad",
  cancelled: "bg-raised text-faint",
  archived: "bg-raised text-faint",
} as const satisfies Record<Status, string>;

type Shown = Pick<Session, "status" | "pending_approvals" | "stale" | "recovery">;

/** In one word: how it stands, and first of all whether it waits for a person. */
export function StatusBadge({ session }: { readonly session: Shown }) {
  const [word, look] = tell(session);
  return (
    <span className={`inline-block rounded-full px-2 py-0.5 text-xs font-medium ${look}`}>
      {word}
    </span>
  );
}

function tell({ status, pending_approvals, stale, recovery }: Shown): [string, string] {
  if (recovery !== null) return ["recovery asks", "bg-accent-soft text-accent"];
  if (pending_approvals > 0) return ["waits for you", "bg-accent-soft text-accent"];
  if (stale) return ["interrupted", "bg-bad-soft text-bad"];
  return [status, LOOKS[status]];
}
