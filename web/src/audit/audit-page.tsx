import { keepPreviousData, useInfiniteQuery, useMutation } from "@tanstack/react-query";
import { useSearch } from "@tanstack/react-router";
import { useMemo } from "react";
import { writeQuery } from "../api/ask.ts";
import { call } from "../api/call.ts";
import { download } from "../api/files.ts";
import { usePageTitle } from "../shell/page-title.ts";
import { Button } from "../ui/button.tsx";
import { Empty, explain, Failed, Loading } from "../ui/states.tsx";
import { AuditEntries } from "./audit-entries.tsx";
import { AuditFilterBar } from "./audit-filter-bar.tsx";
import { type AuditFilters, toAuditInput } from "./audit-filters.ts";
import { AuditProof } from "./audit-proof.tsx";

const PAGE = 100;

/** Shows who did, saw and was refused what: in the reader's own sessions and, to admins, everywhere. */
export function AuditPage() {
  const filters = useSearch({ from: "/frame/audit-log" });
  usePageTitle("Audit");
  const { data, error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } =
    useAudit(filters);
  const entries = data?.pages.flatMap((page) => page.events.toReversed());
  const isEveryones = filters.everyone === true && filters.session === undefined;
  return (
    <div className="mx-auto max-w-6xl space-y-4 p-4">
      <div className="flex flex-wrap items-start justify-between gap-3">
        <h1 className="text-xl font-semibold">Audit</h1>
        <Export filters={filters} />
      </div>
      <AuditFilterBar filters={filters} forEveryone={data?.pages[0]?.for_everyone ?? isEveryones} />
      {!entries && error && <Failed error={error} retry={() => void refetch()} />}
      {!entries && !error && <Loading what="the audit" />}
      {entries?.length === 0 && (
        <Empty title="No entries">
          <p>
            Nothing matches these filters. Choose a longer time or another kind of entries. Reads
            are recorded when you share a session or create a public link.
          </p>
        </Empty>
      )}
      {entries && entries.length > 0 && (
        <AuditEntries entries={entries} isEveryones={isEveryones} />
      )}
      {hasNextPage && (
        <Button disabled={isFetchingNextPage} onClick={() => void fetchNextPage()}>
          {isFetchingNextPage ? "Loading …" : "Show earlier entries"}
        </Button>
      )}
      {entries && <AuditProof session={filters.session} everyone={isEveryones} />}
    </div>
  );
}

function useAudit(filters: AuditFilters) {
  // Every page of one list has the same start.
  const input = useMemo(() => toAuditInput(filters, Date.now()), [filters]);
  return useInfiniteQuery({
    queryKey: ["audit", filters],
    queryFn: ({ pageParam, signal }) =>
      call(
        "audit",
        { ...input, limit: PAGE, ...(pageParam !== "" && { cursor: pageParam }) },
        signal,
      ),
    initialPageParam: "",
    getNextPageParam: ({ next_cursor }) => next_cursor,
    placeholderData: keepPreviousData,
  });
}

/** Exports all entries that the filters select, also those that are not shown yet. */
function Export({ filters }: { readonly filters: AuditFilters }) {
  const save = useMutation({
    mutationFn: (format: "ndjson" | "cef") => {
      const query = { ...toAuditInput(filters, Date.now()), format };
      return download(`/audit/export${writeQuery(query)}`, `belay-audit.${format}`);
    },
  });
  return (
    <div>
      <div className="flex gap-2">
        <Button disabled={save.isPending} onClick={() => save.mutate("ndjson")}>
          Export NDJSON
        </Button>
        <Button disabled={save.isPending} onClick={() => save.mutate("cef")}>
          Export CEF
        </Button>
      </div>
      <div role="alert">
        {save.error && <p className="mt-1 text-sm text-bad">{explain(save.error)}</p>}
      </div>
    </div>
  );
}
