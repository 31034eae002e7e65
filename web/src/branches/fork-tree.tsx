import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import type { Output } from "../../../src/contract/operations.ts";
import { call } from "../api/call.ts";
import { Button, buttonClass } from "../ui/button.tsx";
import { Failed, Loading } from "../ui/states.tsx";
import { MergeDialog } from "./merge-dialog.tsx";

type Branch = Output<"branches">["branches"][number];

/** The tree of forks, with actions between them. */
export function ForkTree({ id }: { readonly id: string }) {
  const { data, error, refetch } = useQuery({
    queryKey: ["session", id, "branches"],
    queryFn: ({ signal }) => call("branches", { id }, signal),
  });
  const [merged, setMerged] = useState<Branch | null>(null);
  if (!data) {
    return error ? (
      <Failed error={error} retry={() => void refetch()} />
    ) : (
      <Loading what="the branches" />
    );
  }
  const { branches, more } = data;
  return (
    <section aria-labelledby="forks">
      <h2 id="forks" className="text-lg font-semibold">
        Forks
      </h2>
      {branches.length === 1 && (
        <p className="mt-1 text-sm text-soft">
          This session has no forks. Fork it from its menu, or from any message of its conversation.
        </p>
      )}
      <ul className="mt-3 divide-y divide-line rounded-lg border border-line bg-panel">
        {branches.map((branch) => (
          <BranchLine
            key={branch.entity_id}
            id={id}
            branch={branch}
            onMerge={() => setMerged(branch)}
          />
        ))}
      </ul>
      {more && <p className="mt-2 text-sm text-soft">There are more forks than are shown here.</p>}
      {merged?.parent_session_id && (
        <MergeDialog
          id={merged.session_id}
          into={merged.parent_session_id}
          open
          onClose={() => setMerged(null)}
        />
      )}
    </section>
  );
}

interface BranchLineProps {
  readonly id: string;
  readonly branch: Branch;
  onMerge(): void;
}

/** The indentation by depth, up to what fits on a phone. */
const INDENTS = ["pl-4", "pl-7", "pl-10", "pl-12"] as const;

function BranchLine({ id, branch, onMerge }: BranchLineProps) {
  const { session_id, title, agent_name, status, turns, depth, merged_into, deleted } = branch;
  const isSelf = session_id === id;
  const name = title ?? session_id;
  const indent = INDENTS[Math.min(depth, INDENTS.length - 1)];
  return (
    <li
      aria-current={isSelf ? "true" : undefined}
      className={`flex flex-wrap items-center gap-x-3 gap-y-2 py-2.5 pr-4 ${indent}`}
    >
      <div className="min-w-0 flex-1 basis-48">
        <p dir="auto" className="font-medium break-words">
          {depth > 0 && (
            <span aria-hidden className="text-faint">
              ↳{" "}
            </span>
          )}
          {isSelf ? (
            name
          ) : (
            <Link
              to="/s/$id/branches"
              params={{ id: session_id }}
              className="underline underline-offset-2"
            >
              {name}
            </Link>
          )}
          {isSelf && <span className="ml-2 text-sm font-normal text-soft">this session</span>}
        </p>
        <p className="text-xs break-words text-soft">
          {agent_name} · {status}
          {deleted && ", in the trash"} · {turns} {turns === 1 ? "turn" : "turns"}
          {branch.at !== null && ` · forked at event ${branch.at}`}
          {merged_into.length > 0 && ` · merged into ${merged_into.join(", ")}`}
        </p>
      </div>
      {!isSelf && (
        <Link
          to="/s/$id/compare"
          params={{ id }}
          search={{ with: session_id }}
          aria-label={`Compare with ${name}`}
          className={buttonClass("plain")}
        >
          Compare
        </Link>
      )}
      {branch.parent_session_id !== null && !deleted && (
        <Button aria-label={`Merge ${name}`} onClick={onMerge}>
          Merge …
        </Button>
      )}
    </li>
  );
}
