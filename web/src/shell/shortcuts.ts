import { useEffect, useEffectEvent } from "react";

/** Something a key does. `keys` is one key, or two pressed one after the other, as "g i". */
interface Shortcut {
  readonly keys: string;
  readonly label: string;
  run(isRepeat: boolean): void;
}

const shortcuts = new Set<Shortcut>();
/** How long the second key may take. */
const TOGETHER_MS = 1200;
let first: { readonly key: string; readonly at: number } | null = null;

/**
 * Works while the component that calls this is shown; the help lists it under its label. Whoever answers or changes
 * something by a key looks at `isRepeat`: a key that is held down is pressed again and again.
 */
export function useShortcut(keys: string, label: string, run: (isRepeat: boolean) => void): void {
  const now = useEffectEvent(run);
  useEffect(() => {
    const shortcut = { keys, label, run: (isRepeat: boolean) => now(isRepeat) };
    shortcuts.add(shortcut);
    return () => {
      shortcuts.delete(shortcut);
    };
  }, [keys, label]);
}

export function listShortcuts(): readonly Pick<Shortcut, "keys" | "label">[] {
  return [...shortcuts].sort((a, b) => a.keys.localeCompare(b.keys));
}

window.addEventListener("keydown", (event) => {
  const { key, ctrlKey, metaKey, altKey, target } = event;
  if (event.defaultPrevented || ctrlKey || metaKey || altKey || isTypedInto(target)) return;
  if (isMeantFor(target, key)) return;
  const before = first && event.timeStamp - first.at < TOGETHER_MS ? `${first.key} ` : "";
  first = { key, at: event.timeStamp };
  const found = newest(`${before}${key}`) ?? newest(key);
  if (!found) return;
  event.preventDefault();
  first = null;
  found.run(event.repeat);
});

/** What was shown last lies on top. */
function newest(keys: string): Shortcut | undefined {
  return [...shortcuts].findLast((shortcut) => shortcut.keys === keys);
}

function isTypedInto(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  return target.isContentEditable || /^(?:INPUT|TEXTAREA|SELECT)$/.test(target.tagName);
}

/** What has the focus uses these itself, and a page does not hear what is pressed in a dialog above it. */
function isMeantFor(target: EventTarget | null, key: string): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (target.closest("[role=dialog], [role=alertdialog], [role=menu], [role=listbox]")) return true;
  return (key === "Enter" || key === " ") && target.closest("a, button, summary") !== null;
}
