import { formatKeys } from "../shell/shortcuts.ts";

/** Shows the keys for the button next to it. Screen readers find them in the help. */
export function Key({ keys }: { readonly keys: string }) {
  return (
    <kbd aria-hidden className="rounded border border-current px-1 font-mono text-xs max-md:hidden">
      {formatKeys(keys)}
    </kbd>
  );
}
