import type { Session } from "../../../../src/contract/session.ts";
import { call } from "../../api/call.ts";
import { sendMessage } from "../../api/send.ts";
import { Button } from "../../ui/button.tsx";
import type { Conversation } from "../log/conversation.ts";
import { mayUse, useRole } from "../use-role.ts";
import type { Command } from "../use-session.ts";

interface LostTurnProps {
  readonly session: Session;
  readonly conversation: Conversation;
  readonly command: Command;
}

/** The turn of a process that has ended: it can be sent again or discarded. */
export function LostTurn({ session, conversation, command }: LostTurnProps) {
  const { session_id: id } = session;
  const message = conversation.lastSaid;
  const role = useRole(id);
  return (
    <div
      role="status"
      className="mb-2 flex flex-wrap items-center justify-between gap-x-4 gap-y-2 rounded-md bg-bad-soft px-4 py-2.5"
    >
      <p className="min-w-0 flex-1 basis-64 break-words text-bad">
        The process that worked on this has ended, and the turn was lost.
      </p>
      <div className="flex gap-2">
        {message !== null && mayUse(role, "send_message") && (
          <Button
            look="primary"
            disabled={command.isPending}
            title="Send the same message again"
            onClick={() => command.mutate(() => sendMessage(id, message))}
          >
            Retry
          </Button>
        )}
        {mayUse(role, "recover") && (
          <Button disabled={command.isPending} onClick={() => command.mutate(() => discard(id))}>
            Discard
          </Button>
        )}
      </div>
    </div>
  );
}

/** A later recovery of the session must not continue the turn automatically. */
async function discard(id: string): Promise<void> {
  await call("interrupt", { id });
  await call("recover", { id });
}
