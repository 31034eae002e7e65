import { type RefObject, useEffect, useEffectEvent } from "react";

/**
 * A keyboard shortcut. `keys` is one key, two pressed in sequence ("g i"), or a key with Ctrl, on a Mac Cmd
 * ("Mod+Enter"). Keys without Mod are ignored in text fields and may be pressed by mistake elsewhere: they may
 * navigate, but must never change anything.
 */
interface Shortcut {
  readonly keys: string;
  readonly label: string;
  /** Works only while the focus is in this element. */
  readonly within: RefObject<HTMLElement | null> | null;
  run(isRepeat: boolean): void;
}

const shortcuts = new Set<Shortcut>();
/** How long the second key may take. */
const TOGETHER_MS = 1200;
let first: { readonly key: string; readonly at: number } | null = null;

/**
 * Works while the calling component is shown; the help lists it under its label. A shortcut that changes something must
 * check `isRepeat`, because a held key repeats.
 */
export function useShortcut(
  keys: string,
  label: string,
  run: (isRepeat: boolean) => void,
  within: RefObject<HTMLElement | null> | null = null,
): void {
  const now = useEffectEvent(run);
  useEffect(() => {
    const shortcut = { keys, label, within, run: (isRepeat: boolean) => now(isRepeat) };
    shortcuts.add(shortcut);
    return () => {
      shortcuts.delete(shortcut);
    };
  }, [keys, label, within]);
}

export function listShortcuts(): readonly Pick<Shortcut, "keys" | "label">[] {
  return [...shortcuts].sort((a, b) => a.keys.localeCompare(b.keys));
}

const MOD = /Mac|iPhone|iPad/.test(navigator.platform) ? "⌘" : "Ctrl+";

/** The keys as they are printed on this machine's keyboard. */
export function formatKeys(keys: string): string {
  return keys.replace("Mod+", MOD);
}

window.addEventListener("keydown", (event) => {
  const { key, ctrlKey, metaKey, altKey, target } = event;
  if (event.defaultPrevented || event.isComposing || altKey || isInOverlay(target)) return;
  const hasMod = ctrlKey || metaKey;
  if (!hasMod && (isTypedInto(target) || isActivation(target, key))) return;
  const before = first && event.timeStamp - first.at < TOGETHER_MS ? `${first.key} ` : "";
  first = hasMod ? null : { key, at: event.timeStamp };
  const found = hasMod ? newest(`Mod+${key}`) : (newest(`${before}${key}`) ?? newest(key));
  if (!found) return;
  event.preventDefault();
  first = null;
  found.run(event.repeat);
});

/** The one that was shown last, which is on top. */
function newest(keys: string): Shortcut | undefined {
  return [...shortcuts].findLast((shortcut) => shortcut.keys === keys && hasFocus(shortcut));
}

function hasFocus({ within }: Shortcut): boolean {
  return within === null || within.current?.contains(document.activeElement) === true;
}

function isTypedInto(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (target instanceof HTMLInputElement && target.type === "checkbox") return false;
  return target.isContentEditable || /^(?:INPUT|TEXTAREA|SELECT)$/.test(target.tagName);
}

/** A page ignores keys in a dialog or menu above it. */
function isInOverlay(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  return target.closest("[role=dialog], [role=alertdialog], [role=menu], [role=listbox]") !== null;
}

/** The focused button or link uses these keys itself. */
function isActivation(target: EventTarget | null, key: string): boolean {
  if (!(target instanceof HTMLElement)) return false;
  return (key === "Enter" || key === " ") && target.closest("a, button, summary") !== null;
}
