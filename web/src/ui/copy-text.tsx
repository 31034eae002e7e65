import { Button } from "./button.tsx";
import { useCopy } from "./use-copy.ts";

/** A command to run elsewhere, with a copy button. */
export function CopyText({ text }: { readonly text: string }) {
  const { said, copy } = useCopy("Copy");
  return (
    <div className="flex items-center gap-2 rounded-md border border-line bg-panel py-1 pr-1 pl-3 text-left">
      <code
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
        tabIndex={0}
        className="min-w-0 flex-1 overflow-x-auto font-mono text-sm whitespace-pre"
      >
        {text}
      </code>
      <Button look="quiet" onClick={() => copy(text)} aria-label={`Copy: ${text}`}>
        {said}
      </Button>
    </div>
  );
}
