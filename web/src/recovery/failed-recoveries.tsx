import { Link } from "@tanstack/react-router";
import type { Output } from "../../../src/contract/operations.ts";
import { CopyText } from "../ui/copy-text.tsx";

type Failed = Output<"recoveries">["failed"];

/** Sessions that could not be looked at. */
export function FailedRecoveries({ failed }: { readonly failed: Failed }) {
  return (
    <section aria-labelledby="failed">
      <h2 id="failed" className="mb-3 text-lg font-semibold">
        Could not be checked
      </h2>
      <ul className="divide-y divide-line rounded-lg border border-bad bg-panel">
        {failed.map(({ session_id, why }) => (
          <li key={session_id} className="px-4 py-3">
            <Link
              to="/s/$id"
              params={{ id: session_id }}
              className="font-medium break-all hover:underline"
            >
              {session_id}
            </Link>
            <p className="text-sm text-bad">{why}</p>
          </li>
        ))}
      </ul>
      <div className="mt-3 max-w-md space-y-1 text-sm text-soft">
        <p>To check their logs, run:</p>
        <CopyText text="npx belay verify" />
      </div>
    </section>
  );
}
