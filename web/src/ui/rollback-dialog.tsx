import type { RollbackStep } from "../../../src/contract/events.ts";
import { Button } from "./button.tsx";
import { CopyText } from "./copy-text.tsx";
import { Panel } from "./panel.tsx";
import { RollbackSteps } from "./rollback-steps.tsx";

interface RollbackDialogProps {
  readonly approval_id: string;
  readonly steps: readonly RollbackStep[];
  readonly open: boolean;
  onClose(): void;
}

/** How to roll back: the server refuses it from a browser, because it runs commands. */
export function RollbackDialog({ approval_id, steps, open, onClose }: RollbackDialogProps) {
  return (
    <Panel open={open} title="Roll back in a terminal" onClose={onClose}>
      <p className="mb-3 text-soft">
        A rollback runs commands on the server’s computer, so a browser cannot start it. Run this
        command in a terminal there:
      </p>
      <CopyText text={`npx belay answer ${approval_id} rollback`} />
      <p className="mt-4 mb-2 text-soft">
        It runs these steps in this order and stops at the first step that fails:
      </p>
      <RollbackSteps steps={steps} />
      <Button className="mt-5" onClick={onClose}>
        Done
      </Button>
    </Panel>
  );
}
