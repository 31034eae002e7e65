import { Link } from "@tanstack/react-router";
import type { ComparedSide } from "../../../src/contract/operations/branch-operations.ts";
import type { Output } from "../../../src/contract/operations.ts";
import { formatUsage } from "../session/format-usage.ts";

/** A table of both sessions. */
export function CompareFacts({ compared }: { readonly compared: Output<"compare"> }) {
  const { a, b, common } = compared;
  return (
    <section aria-labelledby="sides" className="space-y-2">
      <h2 id="sides" className="text-lg font-semibold">
        Comparison
      </h2>
      <p className="text-sm break-words text-soft">
        {common === null
          ? "The sessions share no history. The whole sessions are compared."
          : `Both share the history of ${common.session_id} up to event ${common.seq}.`}
      </p>
      {/* biome-ignore lint/a11y/useSemanticElements: what scrolls sideways must be reachable by keyboard, and needs a name */}
      <div
        role="group"
        aria-label="Both sessions"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: see above
        tabIndex={0}
        className="overflow-x-auto rounded-lg border border-line bg-panel -outline-offset-2"
      >
        <table className="w-full text-left text-sm">
          <thead>
            <tr className="border-b border-line">
              <td className="px-3 py-2" />
              {[a, b].map((side) => (
                <th key={side.session_id} scope="col" className="px-3 py-2 font-medium">
                  <Link
                    to="/s/$id"
                    params={{ id: side.session_id }}
                    className="break-words underline underline-offset-2"
                  >
                    {side.title ?? side.session_id}
                  </Link>
                  {/* A fork has the title of its origin. */}
                  {side.title !== null && (
                    <p className="text-xs break-all text-soft">{side.session_id}</p>
                  )}
                </th>
              ))}
            </tr>
          </thead>
          <tbody className="divide-y divide-line">
            {FACTS.map(([what, read]) => (
              <tr key={what}>
                <th scope="row" className="px-3 py-1.5 align-top font-normal text-soft">
                  {what}
                </th>
                <td className="px-3 py-1.5 align-top break-words">{read(a)}</td>
                <td className="px-3 py-1.5 align-top break-words">{read(b)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

const FACTS: readonly (readonly [string, (side: ComparedSide) => string])[] = [
  ["Agent", ({ agent_name }) => agent_name],
  ["Status", ({ status }) => status],
  ["Summary", ({ summary }) => summary ?? "none"],
  ["Turns", ({ turns }) => String(turns)],
  ["Tool calls", ({ actions }) => String(actions)],
  ["Checkpoints", ({ checkpoints }) => listed(checkpoints)],
  ["Files", ({ artifacts }) => listed(artifacts)],
  ["Outcomes", ({ outcomes }) => listed(outcomes)],
  ["Usage (whole session)", ({ usage }) => formatUsage(usage) || "unknown"],
];

function listed(names: readonly string[]): string {
  return names.length === 0 ? "none" : names.join(", ");
}
