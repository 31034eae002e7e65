import { Dialog } from "@base-ui/react/dialog";
import { useState } from "react";
import { Button } from "../ui/button.tsx";
import { formatKeys, listShortcuts, useShortcut } from "./shortcuts.ts";

/** Lists the keyboard shortcuts of the current page. */
export function ShortcutHelp() {
  const [open, setOpen] = useState(false);
  useShortcut("?", "Show keyboard shortcuts", () => setOpen(true));
  return (
    <Dialog.Root open={open} onOpenChange={setOpen}>
      <Dialog.Portal>
        <Dialog.Backdrop className="fixed inset-0 z-40 bg-black/40" />
        <Dialog.Popup className="fixed top-1/4 left-1/2 z-50 max-h-[70vh] w-[min(26rem,calc(100vw-2rem))] -translate-x-1/2 overflow-y-auto rounded-lg border border-line bg-panel p-5 shadow-xl">
          <div className="flex items-center justify-between">
            <Dialog.Title className="text-lg font-semibold">Keyboard shortcuts</Dialog.Title>
            <Dialog.Close render={<Button look="quiet">Done</Button>} />
          </div>
          <dl className="mt-3 grid grid-cols-[auto_1fr] items-center gap-x-4 gap-y-2">
            {open &&
              listShortcuts().map(({ keys, label }) => (
                <div key={`${keys} ${label}`} className="contents">
                  <dt>
                    <kbd className="rounded border border-line bg-raised px-1.5 py-0.5 font-mono text-sm">
                      {formatKeys(keys)}
                    </kbd>
                  </dt>
                  <dd className="text-soft">{label}</dd>
                </div>
              ))}
          </dl>
          <p className="mt-4 text-sm text-soft">
            Single keys work while no text field has the focus. They never change anything.
          </p>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
