import { Dialog } from "@base-ui/react/dialog";
import { useId, useState } from "react";
import { LIMITS } from "../../../src/contract/limits.ts";
import type { Session } from "../../../src/contract/session.ts";
import { Button } from "../ui/button.tsx";
import { FIELD, Panel } from "../ui/panel.tsx";

interface RenameDialogProps {
  readonly open: boolean;
  readonly session: Session;
  onRename(title: string): void;
  onClose(): void;
}

export function RenameDialog({ open, session, onRename, onClose }: RenameDialogProps) {
  const [title, setTitle] = useState(session.title ?? "");
  const id = useId();
  return (
    <Panel open={open} title="Rename session" onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (title.trim() === "") return;
          onRename(title.trim());
          onClose();
        }}
      >
        <label htmlFor={id} className="text-sm text-soft">
          Title
        </label>
        <input
          id={id}
          value={title}
          maxLength={LIMITS.TITLE}
          onChange={({ target }) => setTitle(target.value)}
          onFocus={({ target }) => target.select()}
          className={`${FIELD} mt-1 w-full`}
        />
        <div className="mt-5 flex justify-end gap-2">
          <Dialog.Close render={<Button>Cancel</Button>} />
          <Button look="primary" type="submit" disabled={title.trim() === ""}>
            Rename
          </Button>
        </div>
      </form>
    </Panel>
  );
}
