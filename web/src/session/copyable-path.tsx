import type { ReactNode } from "react";
import { useCopy } from "../ui/use-copy.ts";

interface CopyablePathProps {
  readonly path: string;
  readonly children: ReactNode;
}

/** A path of a file, which a browser cannot open: clicking copies it. */
export function CopyablePath({ path, children }: CopyablePathProps) {
  const { said, copy } = useCopy("");
  return (
    <button
      type="button"
      dir="ltr"
      title={`Copy path: ${path}`}
      onClick={() => copy(path)}
      className="inline cursor-copy rounded bg-raised px-1 py-0.5 text-left font-mono text-[0.9em] break-words underline decoration-dotted underline-offset-2 hover:bg-line"
    >
      {children}
      <span aria-live="polite" className="text-good no-underline">
        {said !== "" && ` ${said}`}
      </span>
    </button>
  );
}
