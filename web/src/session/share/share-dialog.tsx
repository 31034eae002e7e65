import { Button } from "../../ui/button.tsx";
import { Panel } from "../../ui/panel.tsx";
import { PublicLinks } from "./public-links.tsx";
import { SharedWith } from "./shared-with.tsx";

interface ShareDialogProps {
  readonly id: string;
  onClose(): void;
}

/** Shares a session with people in roles, and by public links. */
export function ShareDialog({ id, onClose }: ShareDialogProps) {
  return (
    <Panel open title="Share session" onClose={onClose}>
      <div className="space-y-6">
        <SharedWith id={id} />
        <PublicLinks id={id} />
      </div>
      <Button className="mt-5" onClick={onClose}>
        Done
      </Button>
    </Panel>
  );
}
