import { useInfiniteQuery } from "@tanstack/react-query";
import { useState } from "react";
import { counted } from "../../../src/contract/import/describe-import.ts";
import type { Session } from "../../../src/contract/session.ts";
import { call } from "../api/call.ts";
import { Button } from "../ui/button.tsx";
import { formatBytes } from "../ui/format-bytes.ts";
import { Failed, Loading } from "../ui/states.tsx";
import { TerminalHint } from "../ui/terminal-hint.tsx";
import { TimeAgo } from "../ui/time-ago.tsx";
import { RestoreDialog } from "./restore-dialog.tsx";

const PAGE = 100;

/** The checkpoints of a session, the oldest first. */
export function Checkpoints({ session }: { readonly session: Session }) {
  const { session_id: id } = session;
  const [asked, ask] = useState<string | null>(null);
  const { data, error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = useInfiniteQuery(
    {
      queryKey: ["session", id, "checkpoints"],
      queryFn: ({ pageParam, signal }) =>
        call("list_checkpoints", { id, after: pageParam, limit: PAGE }, signal),
      initialPageParam: 0,
      getNextPageParam: ({ next_cursor }) => next_cursor,
    },
  );
  if (!data) {
    return error ? (
      <Failed error={error} retry={() => void refetch()} />
    ) : (
      <Loading what="the checkpoints" />
    );
  }
  const checkpoints = data.pages.flatMap((page) => page.checkpoints);
  return (
    <section aria-labelledby="checkpoints">
      <h2 id="checkpoints" className="text-lg font-semibold">
        Checkpoints
      </h2>
      {checkpoints.length === 0 && (
        <p className="mt-1 text-sm text-soft">
          No checkpoints yet. Agents save them
          <TerminalHint>, and so does “npx belay checkpoint save {id} NAME”</TerminalHint>.
        </p>
      )}
      {checkpoints.length > 0 && (
        <ul className="mt-3 divide-y divide-line rounded-lg border border-line bg-panel">
          {checkpoints.map(
            ({ name, checkpoint_id, timestamp, files, files_skipped, merged_from }) => (
              <li
                key={checkpoint_id ?? `${name} ${timestamp}`}
                className="flex flex-wrap items-center gap-x-3 gap-y-2 px-4 py-2.5"
              >
                <div className="min-w-0 flex-1 basis-48">
                  <p dir="auto" className="font-medium break-words">
                    {name}
                  </p>
                  <p className="text-xs break-words text-soft">
                    <TimeAgo at={timestamp} />
                    {files && ` · ${counted(files.count, "file")}, ${formatBytes(files.bytes)}`}
                    {files_skipped !== undefined && ` · without files: ${files_skipped}`}
                    {merged_from !== undefined && ` · merged from ${merged_from}`}
                  </p>
                </div>
                <Button aria-label={`Restore ${name}`} onClick={() => ask(checkpoint_id ?? name)}>
                  Restore …
                </Button>
              </li>
            ),
          )}
        </ul>
      )}
      {hasNextPage && (
        <Button className="mt-3" disabled={isFetchingNextPage} onClick={() => void fetchNextPage()}>
          Show more
        </Button>
      )}
      {asked !== null && (
        <RestoreDialog session={session} name={asked} open onClose={() => ask(null)} />
      )}
    </section>
  );
}
