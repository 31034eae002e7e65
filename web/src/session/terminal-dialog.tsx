import { Dialog } from "@base-ui/react/dialog";
import type { Session } from "../../../src/contract/session.ts";
import { Button } from "../ui/button.tsx";
import { CopyText } from "../ui/copy-text.tsx";
import { isAllowed } from "./allowed.ts";

interface TerminalDialogProps {
  readonly session: Session;
  readonly open: boolean;
  onClose(): void;
}

/** The same session from another place: there is one log. */
export function TerminalDialog({ session, open, onClose }: TerminalDialogProps) {
  return (
    <Dialog.Root open={open} onOpenChange={(now) => now || onClose()}>
      <Dialog.Portal>
        <Dialog.Backdrop className="fixed inset-0 z-40 bg-black/40" />
        <Dialog.Popup className="fixed top-1/4 left-1/2 z-50 w-[min(34rem,calc(100vw-2rem))] -translate-x-1/2 rounded-lg border border-line bg-panel p-5 shadow-xl">
          <Dialog.Title className="text-lg font-semibold">Continue in a terminal</Dialog.Title>
          <dl className="mt-3 space-y-3">
            {waysOf(session).map(({ what, command }) => (
              <div key={command} className="space-y-1">
                <dt className="text-sm text-soft">{what}</dt>
                <dd>
                  <CopyText text={command} />
                </dd>
              </div>
            ))}
          </dl>
          <Dialog.Close render={<Button className="mt-5">Done</Button>} />
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

function waysOf(session: Session): { what: string; command: string }[] {
  const { session_id: id } = session;
  return [
    ...(isAllowed("resume", session)
      ? [{ what: "Resume it and continue", command: `npx belay resume ${id}` }]
      : []),
    ...(isAllowed("send_message", session)
      ? [{ what: "Send a message and read the answer", command: `npx belay send ${id} "…"` }]
      : []),
    { what: "Watch it work", command: `npx belay attach ${id}` },
    { what: "Read the conversation", command: `npx belay turns ${id}` },
  ];
}
