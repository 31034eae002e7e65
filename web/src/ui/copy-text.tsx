import { useState } from "react";
import { Button } from "./button.tsx";

/** A command to be run elsewhere, and a button that copies it. */
export function CopyText({ text }: { readonly text: string }) {
  const [copied, setCopied] = useState(false);
  const copy = async (): Promise<void> => {
    await navigator.clipboard.writeText(text);
    setCopied(true);
    setTimeout(() => setCopied(false), 2000);
  };
  return (
    <div className="flex items-center gap-2 rounded-md border border-line bg-panel py-1 pr-1 pl-3 text-left">
      <code
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
        tabIndex={0}
        className="min-w-0 flex-1 overflow-x-auto font-mono text-sm whitespace-pre"
      >
        {text}
      </code>
      <Button look="quiet" onClick={() => void copy()} aria-label={`Copy: ${text}`}>
        {copied ? "Copied" : "Copy"}
      </Button>
    </div>
  );
}
