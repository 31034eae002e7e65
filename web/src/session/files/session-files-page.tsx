import { useInfiniteQuery, useMutation } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import type { Artifact } from "../../../../src/contract/session.ts";
import { call } from "../../api/call.ts";
import { downloadFile, MOST_MB } from "../../api/files.ts";
import { usePageTitle } from "../../shell/page-title.ts";
import { Button } from "../../ui/button.tsx";
import { formatBytes } from "../../ui/format-bytes.ts";
import { Empty, explain, Failed, Loading } from "../../ui/states.tsx";
import { TimeAgo } from "../../ui/time-ago.tsx";
import { NoSession } from "../no-session.tsx";
import { SessionHeader } from "../session-header.tsx";
import { useSession } from "../use-session.ts";

const PAGE = 100;

/** The artifacts of a session: files stored with it, and records of others. */
export function SessionFilesPage() {
  const { id: named } = useParams({ from: "/frame/s/$id/files" });
  const asked = useSession(named);
  const id = asked.data?.session_id ?? named;
  usePageTitle(`Files of ${asked.data?.title ?? id}`);
  if (asked.isError && !asked.data) {
    return <NoSession id={named} error={asked.error} retry={() => void asked.refetch()} />;
  }
  return (
    <div className="flex min-h-full flex-col">
      <SessionHeader id={id} />
      <div className="mx-auto w-full max-w-4xl p-4">
        <Files id={id} />
      </div>
    </div>
  );
}

function Files({ id }: { readonly id: string }) {
  const { data, error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = useInfiniteQuery(
    {
      queryKey: ["session", id, "artifacts"],
      queryFn: ({ pageParam, signal }) =>
        call("list_artifacts", { id, after: pageParam, limit: PAGE }, signal),
      initialPageParam: 0,
      getNextPageParam: ({ next_cursor }) => next_cursor,
    },
  );
  if (!data) {
    return error ? (
      <Failed error={error} retry={() => void refetch()} />
    ) : (
      <Loading what="the files" />
    );
  }
  const artifacts = data.pages.flatMap((page) => page.artifacts);
  if (artifacts.length === 0) {
    return (
      <Empty title="No files yet">
        <p>
          Files that are stored with the session are listed here. To add a file of up to {MOST_MB}{" "}
          MB, use the button below the message box of the conversation.
        </p>
      </Empty>
    );
  }
  return (
    <>
      <h2 className="sr-only">Files</h2>
      <ul className="divide-y divide-line rounded-lg border border-line bg-panel">
        {artifacts.map((artifact) => (
          <FileLine key={artifact.artifact_id} id={id} artifact={artifact} />
        ))}
      </ul>
      {hasNextPage && (
        <Button className="mt-3" disabled={isFetchingNextPage} onClick={() => void fetchNextPage()}>
          Show more
        </Button>
      )}
    </>
  );
}

interface FileLineProps {
  readonly id: string;
  readonly artifact: Artifact;
}

function FileLine({ id, artifact }: FileLineProps) {
  const { name, uri, media_type, details, created_at } = artifact;
  const digest = uri?.startsWith("blob:") ? uri.slice("blob:".length) : null;
  const download = useMutation({
    mutationFn: (wanted: string) => downloadFile(id, wanted, name),
  });
  const size = typeof details.size === "number" ? formatBytes(details.size) : null;
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-1 px-4 py-2.5">
      <div className="min-w-0 flex-1 basis-48">
        <p dir="auto" className="font-medium break-words">
          {name}
        </p>
        <p className="text-xs break-all text-soft">
          {[size, media_type].filter(Boolean).map((fact) => `${fact} · `)}
          <TimeAgo at={created_at} />
          {digest === null && uri !== null && ` · ${uri}`}
        </p>
        <div role="alert">
          {download.error && <p className="text-sm text-bad">{explain(download.error)}</p>}
        </div>
      </div>
      {digest !== null && (
        <Button
          aria-label={`Download ${name}`}
          disabled={download.isPending}
          onClick={() => download.mutate(digest)}
        >
          {download.isPending ? "Downloading …" : "Download"}
        </Button>
      )}
    </li>
  );
}
