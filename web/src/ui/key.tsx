import { formatKeys } from "../shell/shortcuts.ts";

/** Shows which keys do the same as the button beside it. Screen readers find them in the help. */
export function Key({ keys }: { readonly keys: string }) {
  return (
    <kbd aria-hidden className="rounded border border-current px-1 font-mono text-xs max-md:hidden">
      {formatKeys(keys)}
    </kbd>
  );
}
