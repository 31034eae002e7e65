import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useId, useState } from "react";
import type { MergeReport } from "../../../src/contract/operations/branch-operations.ts";
import { call } from "../api/call.ts";
import { Button } from "../ui/button.tsx";
import { Panel } from "../ui/panel.tsx";
import { explain, Failed, Loading } from "../ui/states.tsx";
import { formatValue } from "./format-value.ts";

interface MergeDialogProps {
  readonly id: string;
  readonly into: string;
  readonly open: boolean;
  onClose(): void;
}

/** Shows the preview of a merge, and merges exactly that. */
export function MergeDialog({ id, into, open, onClose }: MergeDialogProps) {
  return (
    <Panel open={open} title="Merge a fork" onClose={onClose}>
      <MergePreview id={id} into={into} onClose={onClose} />
    </Panel>
  );
}

type Rule = "ours" | "theirs" | "ask";

const RULES: readonly { readonly rule: Rule; readonly text: string }[] = [
  { rule: "ours", text: "Keep the values of the session" },
  { rule: "theirs", text: "Use the values of the fork" },
  { rule: "ask", text: "Ask in the inbox" },
];

function MergePreview({ id, into, onClose }: Omit<MergeDialogProps, "open">) {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const [rule, setRule] = useState<Rule | null>(null);
  const group = useId();
  const { data, error, refetch } = useQuery({
    queryKey: ["preview", "merge", id, into],
    queryFn: async ({ signal }) => (await call("merge", { id, into, dry_run: true }, signal)).merge,
    // The live feed must not change a preview that someone is about to confirm.
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
  const merge = useMutation({
    mutationFn: (seen: MergeReport) =>
      call("merge", { id, into, at: seen.to, ...(rule !== null && { rule }) }),
    onSuccess: async ({ merge: { approval_id } }) => {
      await queries.invalidateQueries({ queryKey: ["session"] });
      onClose();
      if (approval_id === null) void navigate({ to: "/s/$id", params: { id: into } });
      else void navigate({ to: "/inbox" });
    },
  });
  if (!data) {
    return error ? (
      <Failed error={error} retry={() => void refetch()} />
    ) : (
      <Loading what="the preview" />
    );
  }
  const { conflicts } = data;
  const needsRule = conflicts.length > 0 && rule === null;
  return (
    <form
      className="space-y-4"
      onSubmit={(event) => {
        event.preventDefault();
        if (!needsRule && !merge.isPending) merge.mutate(data);
      }}
    >
      <p className="text-sm break-words text-soft">
        From <strong className="text-ink">{id}</strong> into{" "}
        <strong className="text-ink">{into}</strong>, as one entry of its conversation.
      </p>
      {data.added ? <Brought report={data} /> : <p>There is nothing new to merge.</p>}
      {conflicts.length > 0 && (
        <fieldset className="space-y-2">
          <legend className="font-medium">Both sessions changed these values</legend>
          <dl className="space-y-2 text-sm">
            {conflicts.map(({ kind, name, ours, theirs }) => (
              <div key={`${kind} ${name}`}>
                <dt className="break-words">
                  {kind === "metadata" ? "" : "checkpoint "}
                  {name}
                </dt>
                <dd className="font-mono text-xs break-all text-soft">
                  session: {formatValue(ours)}
                  <br />
                  fork: {formatValue(theirs)}
                </dd>
              </div>
            ))}
          </dl>
          {RULES.map(({ rule: each, text }) => (
            <label key={each} className="flex min-h-9 items-center gap-2 text-sm">
              <input
                type="radio"
                name={group}
                checked={rule === each}
                onChange={() => setRule(each)}
              />
              {text}
            </label>
          ))}
        </fieldset>
      )}
      <div role="alert">
        {merge.error && (
          <p className="rounded-md bg-bad-soft px-3 py-2 text-sm break-words text-bad">
            {explain(merge.error)}
          </p>
        )}
      </div>
      <div className="flex justify-end gap-2">
        <Button onClick={onClose}>Cancel</Button>
        <Button look="primary" type="submit" disabled={!data.added || needsRule || merge.isPending}>
          {merge.isPending ? "Merging …" : "Merge"}
        </Button>
      </div>
    </form>
  );
}

function Brought({ report }: { readonly report: MergeReport }) {
  const { turns, actions, checkpoints, artifacts, outcomes, metadata } = report;
  const lines = [
    [`${turns} ${turns === 1 ? "turn" : "turns"}, ${actions} tool calls`, []],
    ["Checkpoints", checkpoints],
    ["Files", artifacts],
    ["Outcomes", outcomes],
    ["Metadata", Object.entries(metadata).map(([key, value]) => `${key} = ${formatValue(value)}`)],
  ] as const;
  return (
    <ul className="list-disc space-y-1 pl-5 text-sm">
      {lines.map(
        ([what, names], nth) =>
          (nth === 0 || names.length > 0) && (
            <li key={what} className="break-words">
              {what}
              {names.length > 0 && `: ${names.slice(0, SHOWN).join(", ")}`}
              {names.length > SHOWN && ` and ${names.length - SHOWN} more`}
            </li>
          ),
      )}
    </ul>
  );
}

const SHOWN = 20;
