import { useInfiniteQuery } from "@tanstack/react-query";
import { Link, useParams, useSearch } from "@tanstack/react-router";
import type { ComparedTurn } from "../../../src/contract/operations/branch-operations.ts";
import type { Output } from "../../../src/contract/operations.ts";
import { call } from "../api/call.ts";
import { SessionHeader } from "../session/session-header.tsx";
import { usePageTitle } from "../shell/page-title.ts";
import { Button } from "../ui/button.tsx";
import { LongText } from "../ui/long-text.tsx";
import { Empty, Failed, Loading } from "../ui/states.tsx";
import { CompareFacts } from "./compare-facts.tsx";
import { formatValue } from "./format-value.ts";

const PAGE = 20;

/** Two sessions side by side, from the last event that both share. */
export function ComparePage() {
  const { id } = useParams({ from: "/frame/s/$id/compare" });
  const { with: other } = useSearch({ from: "/frame/s/$id/compare" });
  usePageTitle(`Compare ${id}`);
  return (
    <div className="flex min-h-full flex-col">
      <SessionHeader id={id} />
      <div className="mx-auto w-full max-w-6xl p-4">
        {other === undefined ? (
          <Empty title="Nothing to compare with">
            <p>
              Choose another session{" "}
              <Link to="/s/$id/branches" params={{ id }} className="underline underline-offset-2">
                among the branches
              </Link>
              .
            </p>
          </Empty>
        ) : (
          <Comparison id={id} other={other} />
        )}
      </div>
    </div>
  );
}

function Comparison({ id, other }: { readonly id: string; readonly other: string }) {
  const { data, error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = useInfiniteQuery(
    {
      queryKey: ["session", id, "compare", other],
      queryFn: ({ pageParam, signal }) =>
        call("compare", { id, with: other, after: pageParam, limit: PAGE }, signal),
      initialPageParam: 0,
      getNextPageParam: ({ next_cursor }) => next_cursor,
    },
  );
  const [first] = data?.pages ?? [];
  if (!data || !first) {
    return error ? (
      <Failed error={error} retry={() => void refetch()} />
    ) : (
      <Loading what="the comparison" />
    );
  }
  const turns = data.pages.flatMap((page) => page.turns);
  return (
    <div className="space-y-6">
      <CompareFacts compared={first} />
      {first.metadata.length > 0 && <Metadata compared={first} />}
      <section aria-labelledby="turns" className="space-y-3">
        <h2 id="turns" className="text-lg font-semibold">
          Turns
        </h2>
        {turns.length === 0 && (
          <p className="text-sm text-soft">Neither session has turns of its own.</p>
        )}
        <ol className="space-y-3">
          {turns.map(({ a, b }, nth) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: pairs stand in the order of both logs
            <li key={nth} className="grid gap-3 sm:grid-cols-2">
              <Turn turn={a} of={first.a.session_id} />
              <Turn turn={b} of={first.b.session_id} />
            </li>
          ))}
        </ol>
        {hasNextPage && (
          <Button disabled={isFetchingNextPage} onClick={() => void fetchNextPage()}>
            Show more
          </Button>
        )}
      </section>
    </div>
  );
}

function Turn({ turn, of }: { readonly turn: ComparedTurn | null; readonly of: string }) {
  if (turn === null) {
    return (
      <p className="rounded-lg border border-dashed border-line p-3 text-sm text-soft">
        No turn in {of}
      </p>
    );
  }
  const { input, output, seconds, tool_calls, status, seq } = turn;
  return (
    <article className="min-w-0 space-y-2 rounded-lg border border-line bg-panel p-3">
      <p className="text-xs break-words text-soft">
        <Link
          to="/s/$id"
          params={{ id: of }}
          search={{ at: seq }}
          className="underline underline-offset-2"
        >
          {of}
        </Link>{" "}
        · {status}
        {seconds !== null && ` · ${seconds.toFixed(1)} s`}
      </p>
      <div className="rounded-md bg-raised px-3 py-2">
        <LongText text={input} />
      </div>
      <LongText text={output} />
      {tool_calls.length > 0 && (
        <ul className="list-disc pl-5 text-sm text-soft">
          {tool_calls.map((title, nth) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: calls stand in their order
            <li key={nth} dir="auto" className="break-words">
              {title}
            </li>
          ))}
        </ul>
      )}
    </article>
  );
}

function Metadata({ compared }: { readonly compared: Output<"compare"> }) {
  return (
    <section aria-labelledby="metadata" className="space-y-2">
      <h2 id="metadata" className="text-lg font-semibold">
        Metadata
      </h2>
      <dl className="divide-y divide-line rounded-lg border border-line bg-panel text-sm">
        {compared.metadata.map(({ key, a, b }) => (
          <div key={key} className="grid gap-x-3 px-3 py-2 sm:grid-cols-2">
            <dt className="font-medium break-words sm:col-span-2">{key}</dt>
            <dd className="font-mono text-xs break-all">{formatValue(a)}</dd>
            <dd className="font-mono text-xs break-all">{formatValue(b)}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
