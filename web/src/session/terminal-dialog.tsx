import type { Session } from "../../../src/contract/session.ts";
import { Button } from "../ui/button.tsx";
import { CopyText } from "../ui/copy-text.tsx";
import { Panel } from "../ui/panel.tsx";
import { isAllowed } from "./is-allowed.ts";

interface TerminalDialogProps {
  readonly session: Session;
  readonly open: boolean;
  onClose(): void;
}

/** The commands to continue the same session in a terminal. */
export function TerminalDialog({ session, open, onClose }: TerminalDialogProps) {
  return (
    <Panel open={open} title="Continue in a terminal" onClose={onClose}>
      <dl className="space-y-3">
        {waysOf(session).map(({ what, command }) => (
          <div key={command} className="space-y-1">
            <dt className="text-sm text-soft">{what}</dt>
            <dd>
              <CopyText text={command} />
            </dd>
          </div>
        ))}
      </dl>
      <Button className="mt-5" onClick={onClose}>
        Done
      </Button>
    </Panel>
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
