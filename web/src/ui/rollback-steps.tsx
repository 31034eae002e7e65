import type { Output } from "../../../src/contract/operations.ts";
import { visibleLine } from "../../../src/contract/visible-text.ts";
import { LongText } from "./long-text.tsx";

type Step = Output<"answer_recovery">["rollback"][number];

const WORDS = {
  planned: null,
  success: ["done", "text-good"],
  failed: ["failed", "text-bad"],
  "not run": ["not run", "text-faint"],
} as const satisfies Record<Step["result"], readonly [string, string] | null>;

interface RollbackStepsProps {
  readonly steps: readonly (Pick<Step, "title" | "command"> & Partial<Step>)[];
}

/** The commands of a rollback, in order, with their results. */
export function RollbackSteps({ steps }: RollbackStepsProps) {
  return (
    <ol className="space-y-2">
      {steps.map(({ title, command, result = "planned", output = null }, nth) => {
        const word = WORDS[result];
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: steps have no name of their own and keep their order
          <li key={nth} className="flex gap-2 text-sm">
            <span className="w-5 shrink-0 text-right text-faint">{nth + 1}.</span>
            <div className="min-w-0 flex-1">
              <p className="flex flex-wrap justify-between gap-x-3 text-ink">
                {visibleLine(title)}
                {word && <span className={`font-medium ${word[1]}`}>{word[0]}</span>}
              </p>
              <div className="mt-0.5 rounded bg-raised px-2 py-1 text-ink">
                <LongText text={command} />
              </div>
              {output !== null && output !== "" && (
                <div className="mt-1 rounded border border-line px-2 py-1 text-soft">
                  <LongText text={output} />
                </div>
              )}
            </div>
          </li>
        );
      })}
    </ol>
  );
}
