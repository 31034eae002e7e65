import { Dialog } from "@base-ui/react/dialog";
import type { ReactNode } from "react";

/** The style of inputs and selects. */
export const FIELD =
  "min-h-9 rounded-md border border-line bg-panel px-2.5 py-1 text-sm text-ink placeholder:text-faint";

interface PanelProps {
  readonly open: boolean;
  readonly title: string;
  readonly children: ReactNode;
  onClose(): void;
}

/** A dialog that can be closed without an answer. */
export function Panel({ open, title, children, onClose }: PanelProps) {
  return (
    <Dialog.Root open={open} onOpenChange={(now) => now || onClose()}>
      <Dialog.Portal>
        <Dialog.Backdrop className="fixed inset-0 z-40 bg-black/40" />
        <Dialog.Popup className="fixed top-[12vh] left-1/2 z-50 max-h-[80vh] w-[min(32rem,calc(100vw-2rem))] -translate-x-1/2 overflow-y-auto rounded-lg border border-line bg-panel p-5 shadow-xl">
          <Dialog.Title className="mb-4 text-lg font-semibold">{title}</Dialog.Title>
          {children}
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
