import { useCopy } from "../ui/use-copy.ts";

/** Code, or whatever else is to be read as it was written, and a button that copies it. */
export function CodeBlock({
  text,
  language,
}: {
  readonly text: string;
  readonly language: string;
}) {
  return (
    <div className="overflow-hidden rounded-md border border-line bg-raised">
      <div className="flex items-center justify-between border-b border-line py-0.5 pr-0.5 pl-3">
        <span className="min-w-0 truncate text-xs text-faint">{language}</span>
        <CopyButton text={text} what="code" />
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <pre className="max-h-[36rem] overflow-auto p-3 font-mono text-[13px] leading-5" tabIndex={0}>
        <code>{text}</code>
      </pre>
    </div>
  );
}

export function CopyButton({ text, what }: { readonly text: string; readonly what: string }) {
  const { said, copy } = useCopy("Copy");
  return (
    <button
      type="button"
      onClick={() => copy(text)}
      aria-label={`Copy ${what}`}
      className="min-h-7 shrink-0 rounded px-2 text-xs text-soft hover:bg-panel hover:text-ink pointer-coarse:min-h-9"
    >
      {said}
    </button>
  );
}
