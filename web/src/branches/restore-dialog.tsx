import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import type { FilesDifference } from "../../../src/contract/branch/checkpoint-files.ts";
import type { Session } from "../../../src/contract/session.ts";
import { call } from "../api/call.ts";
import { isAllowed } from "../session/is-allowed.ts";
import { Button } from "../ui/button.tsx";
import { CopyText } from "../ui/copy-text.tsx";
import { LongText } from "../ui/long-text.tsx";
import { Panel } from "../ui/panel.tsx";
import { explain, Failed, Loading } from "../ui/states.tsx";
import { TerminalHint } from "../ui/terminal-hint.tsx";
import { PatchView } from "./patch-view.tsx";

interface RestoreDialogProps {
  readonly session: Session;
  /** The name of the checkpoint, or its id. */
  readonly name: string;
  readonly open: boolean;
  onClose(): void;
}

/** Shows a saved state and the difference of its files, and restores it. */
export function RestoreDialog({ session, name, open, onClose }: RestoreDialogProps) {
  return (
    <Panel open={open} title="Restore a checkpoint" onClose={onClose}>
      <Restore session={session} name={name} onClose={onClose} />
    </Panel>
  );
}

function Restore({ session, name, onClose }: Omit<RestoreDialogProps, "open">) {
  const { session_id: id } = session;
  const queries = useQueryClient();
  const navigate = useNavigate();
  const { data, error, refetch } = useQuery({
    queryKey: ["preview", "restore", id, name],
    queryFn: ({ signal }) => call("restore_checkpoint", { id, name, dry_run: true }, signal),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
  const [isWanted, setWanted] = useState(true);
  const changed = data?.difference && data.difference.total > 0 ? data.difference : null;
  const canFiles = changed !== null && data?.files_skipped === undefined;
  const files = canFiles && isWanted;
  const restore = useMutation({
    mutationFn: (fork: boolean) =>
      call("restore_checkpoint", {
        id,
        name,
        fork,
        // The restore is refused if files have changed since they were shown.
        ...(files && { files, expected_files: changed.present }),
      }),
    onSuccess: async ({ session_id }) => {
      await queries.invalidateQueries({ queryKey: ["session"] });
      onClose();
      void navigate({ to: "/s/$id", params: { id: session_id } });
    },
  });
  if (!data) {
    return error ? (
      <Failed error={error} retry={() => void refetch()} />
    ) : (
      <Loading what="the preview" />
    );
  }
  const { difference, files_skipped, state } = data;
  const isFinished = !isAllowed("restore_checkpoint", session);
  // Files that have not changed are as if they were restored.
  const isWhole = files || difference?.total === 0;
  const limit = isWhole ? "" : ", conversation only";
  return (
    <div className="space-y-4">
      <h3 dir="auto" className="font-medium break-words">
        {data.name}
      </h3>
      <div>
        <p className="text-sm text-soft">State</p>
        <LongText text={JSON.stringify(state, null, 2)} />
      </div>
      {files_skipped !== undefined && (
        <p className="text-sm break-words text-soft">Files: {files_skipped}</p>
      )}
      {difference && <Difference difference={difference} />}
      {changed && canFiles && (
        <label className="flex items-start gap-2 text-sm">
          <input
            type="checkbox"
            checked={isWanted}
            onChange={({ target }) => setWanted(target.checked)}
            className="mt-1"
          />
          <span>
            Also restore the files. The files as they are now are saved first, as a checkpoint.
          </span>
        </label>
      )}
      {changed && !canFiles && (
        <TerminalHint>
          <p className="text-sm text-soft">To restore the files too, run this in a terminal:</p>
          <CopyText text={`npx belay checkpoint restore ${id} ${quote(data.name)} --files`} />
        </TerminalHint>
      )}
      <p className="text-sm text-soft">
        {isFinished
          ? "This session is finished. Work can continue from this state in a fork."
          : "The next message tells the agent that work continues from this state."}
      </p>
      <div role="alert">
        {restore.error && (
          <p className="rounded-md bg-bad-soft px-3 py-2 text-sm break-words text-bad">
            {explain(restore.error)}
          </p>
        )}
      </div>
      <div className="flex flex-wrap justify-end gap-2">
        <Button onClick={onClose}>Cancel</Button>
        <Button disabled={restore.isPending} onClick={() => restore.mutate(true)}>
          Restore in a fork{limit}
        </Button>
        {!isFinished && (
          <Button look="primary" disabled={restore.isPending} onClick={() => restore.mutate(false)}>
            Restore{limit}
          </Button>
        )}
      </div>
    </div>
  );
}

/** The difference of the files. */
function Difference({ difference }: { readonly difference: FilesDifference }) {
  const { root, changes, total, patch, patch_cut } = difference;
  if (total === 0) {
    return (
      <p className="text-sm break-words text-soft">
        The files in {root} have not changed since this checkpoint.
      </p>
    );
  }
  return (
    <div className="space-y-2">
      <p className="text-sm break-words">
        {total} {total === 1 ? "file" : "files"} in {root} would change
      </p>
      <ul className="max-h-40 space-y-0.5 overflow-y-auto text-sm">
        {changes.map(({ path, change, added, removed }) => (
          <li key={path} className="flex flex-wrap gap-x-2">
            <code className="min-w-0 font-mono break-all">{path}</code>
            <span className="text-soft">
              {change}
              {added !== null && ` (+${added} −${removed})`}
            </span>
          </li>
        ))}
      </ul>
      {patch !== "" && <PatchView label="File changes" patch={patch} isCut={patch_cut} />}
    </div>
  );
}

function quote(name: string): string {
  return /^[\w.-]+$/.test(name) ? name : `'${name.replaceAll("'", "'\\''")}'`;
}
