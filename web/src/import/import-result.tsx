import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { counted, describeImport } from "../../../src/contract/import/describe-import.ts";
import type { ImportReport } from "../../../src/contract/import/import-report.ts";
import { Button } from "../ui/button.tsx";
import { Empty } from "../ui/states.tsx";

interface ImportResultProps {
  readonly report: ImportReport;
  onImport(): void;
}

/** The result or the preview of an import. */
export function ImportResult({ report, onImport }: ImportResultProps) {
  const { dry_run, turns, damaged } = report;
  if (report.conversations === 0 && damaged === 0) {
    return (
      <Empty title="No conversations found">
        <p>Nothing in these files is a conversation of this tool. Check the tool and the files.</p>
      </Empty>
    );
  }
  return (
    <section aria-labelledby="result" className="space-y-4">
      <h2 id="result" className="text-lg font-semibold">
        {dry_run ? "Dry run: nothing was written" : "Import complete"}
      </h2>
      <p>{describeImport(report)}</p>
      {dry_run && turns > 0 && (
        <Button look="primary" onClick={onImport}>
          Import {counted(turns, "turn")}
        </Button>
      )}
      {report.sessions.length > 0 && (
        <Lines title="Sessions">
          {report.sessions.map(({ session_id, title, state, turns: added, why }) => (
            <li key={`${session_id} ${state}`} className="px-4 py-2.5">
              <p dir="auto" className="font-medium break-words">
                {dry_run && state === "new" ? (
                  (title ?? session_id)
                ) : (
                  <Link to="/s/$id" params={{ id: session_id }} className="hover:underline">
                    {title ?? session_id}
                  </Link>
                )}
              </p>
              <p className="text-sm break-words text-soft">
                {STATES[state]} · {why ?? counted(added, "turn")}
              </p>
            </li>
          ))}
        </Lines>
      )}
      {report.damage.length > 0 && (
        <Lines title={`Damaged places: ${damaged}`}>
          {report.damage.map(({ file, line, why }) => (
            <li key={`${file} ${line} ${why}`} className="px-4 py-2.5 text-sm break-words">
              <span className="font-mono break-all">{file}</span>
              {line !== null && ` line ${line}`}: {why}
            </li>
          ))}
        </Lines>
      )}
    </section>
  );
}

const STATES = {
  new: "New",
  grown: "New turns",
  known: "Unchanged",
  kept: "Skipped",
} as const;

/** Long lists scroll in their own frame. */
function Lines({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <div>
      <h3 className="mb-2 font-semibold">{title}</h3>
      <ul
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
        tabIndex={0}
        aria-label={title}
        className="max-h-96 divide-y divide-line overflow-y-auto rounded-lg border border-line bg-panel"
      >
        {children}
      </ul>
    </div>
  );
}
