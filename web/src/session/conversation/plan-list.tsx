import type { PlanLine } from "../../../../src/contract/run-event.ts";

const SIGNS = {
  pending: ["○", "open", "text-faint"],
  in_progress: ["◐", "in progress", "text-info"],
  completed: ["✓", "done", "text-good"],
} as const satisfies Record<PlanLine["status"], readonly [string, string, string]>;

/** The agent's plan with its progress. */
export function PlanList({ lines }: { readonly lines: readonly PlanLine[] }) {
  return (
    <ol className="space-y-0.5 text-sm">
      {lines.map(({ content, status }, nth) => {
        const [sign, word, look] = SIGNS[status];
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: steps have no names and keep their order
          <li key={nth} className="flex gap-2">
            <span aria-hidden className={`w-4 shrink-0 text-center ${look}`}>
              {sign}
            </span>
            <span className={`min-w-0 break-words ${status === "completed" ? "text-faint" : ""}`}>
              {content}
              <span className="sr-only">, {word}</span>
            </span>
          </li>
        );
      })}
    </ol>
  );
}

export function describePlan(lines: readonly PlanLine[]): string {
  const done = lines.filter(({ status }) => status === "completed").length;
  const now = lines.find(({ status }) => status === "in_progress");
  return `${done} of ${lines.length}${now ? `: ${now.content}` : ""}`;
}
