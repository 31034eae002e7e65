import { createContext, useContext } from "react";
import { useCopy } from "../../ui/use-copy.ts";

/** True if the code is part of a shortened text, so that more code may follow. */
export const CutContext = createContext(false);

interface CodeBlockProps {
  readonly text: string;
  readonly language: string;
  /** Returns all of the code if `text` is only its start. */
  readonly whole?: (() => string | null) | undefined;
}

/** Code or other preformatted text, with a copy button. */
export function CodeBlock({ text, language, whole }: CodeBlockProps) {
  const isPart = useContext(CutContext) && whole === undefined;
  return (
    <div className="overflow-hidden rounded-md border border-line bg-raised" dir="ltr">
      <div className="flex items-center justify-between border-b border-line py-0.5 pr-0.5 pl-3">
        <span className="min-w-0 truncate text-xs text-faint">{language}</span>
        <CopyButton read={() => whole?.() ?? text} what="code" isPart={isPart} />
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <pre className="max-h-[36rem] overflow-auto p-3 font-mono text-[13px] leading-5" tabIndex={0}>
        <code>{text}</code>
      </pre>
    </div>
  );
}

interface CopyButtonProps {
  readonly what: string;
  readonly isPart?: boolean;
  read(): string;
}

export function CopyButton({ what, isPart = false, read }: CopyButtonProps) {
  const { said, copy } = useCopy("Copy", isPart ? "Copied the part shown" : "Copied");
  return (
    <button
      type="button"
      onClick={() => copy(read())}
      className="min-h-7 shrink-0 rounded px-2 text-xs text-soft hover:bg-panel hover:text-ink pointer-coarse:min-h-9"
    >
      <span aria-live="polite">{said}</span>
      <span className="sr-only"> {what}</span>
    </button>
  );
}
