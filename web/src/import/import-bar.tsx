import type { ImportProgress } from "../../../src/contract/import/import-report.ts";
import { Button } from "../ui/button.tsx";

interface ImportBarProps {
  readonly dry_run: boolean;
  readonly progress: ImportProgress | null;
  onCancel(): void;
}

export function ImportBar({ dry_run, progress, onCancel }: ImportBarProps) {
  const { files = 0, total = 0, sessions = 0, turns = 0 } = progress ?? {};
  return (
    <div className="flex flex-wrap items-center gap-3">
      <progress
        aria-label="Files"
        max={Math.max(total, 1)}
        value={files}
        className="h-2 min-w-32 flex-1 accent-accent"
      />
      <p className="text-sm">
        {dry_run ? "Dry run" : "Importing"} …{" "}
        {progress && `${files} of ${total} files, ${sessions} sessions, ${turns} turns`}
      </p>
      <Button onClick={onCancel}>Cancel</Button>
    </div>
  );
}
