import { useNavigate } from "@tanstack/react-router";
import type { Session } from "../../../src/contract/session.ts";
import { call } from "../api/call.ts";
import { nameOf } from "../sessions/session-words.ts";
import { Confirm } from "../ui/confirm.tsx";
import type { Command } from "./use-session.ts";

interface PurgeDialogProps {
  readonly session: Session;
  readonly command: Command;
  readonly open: boolean;
  /** Called after the purge; without it, the list of sessions is shown, because the session's own page is gone. */
  onPurged?(): Promise<void>;
  onClose(): void;
}

/** Asks before a session is removed from the trash for good. */
export function PurgeDialog({ session, command, open, onPurged, onClose }: PurgeDialogProps) {
  const { session_id: id } = session;
  const navigate = useNavigate();
  return (
    <Confirm
      open={open}
      title="Delete this session forever?"
      confirm="Delete forever"
      onConfirm={() =>
        command.mutate(async () => {
          await call("purge", { id });
          await (onPurged ? onPurged() : navigate({ to: "/" }));
        })
      }
      onClose={onClose}
    >
      <p className="font-medium break-words text-ink">{nameOf(session)}</p>
      <p className="mt-1">
        This cannot be undone. Copies in forks and backups stay, and so do the agents’ own files.
      </p>
    </Confirm>
  );
}
