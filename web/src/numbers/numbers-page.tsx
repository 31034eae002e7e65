import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useSearch } from "@tanstack/react-router";
import type { Stats } from "../../../src/contract/past.ts";
import { call } from "../api/call.ts";
import { usePageTitle } from "../shell/page-title.ts";
import { CopyText } from "../ui/copy-text.tsx";
import { Empty, Failed, Loading } from "../ui/states.tsx";
import { TerminalHint } from "../ui/terminal-hint.tsx";
import { AgentsTable } from "./agents-table.tsx";
import { DayChart } from "./day-chart.tsx";
import { barsOf, type DateSpan, spansBack } from "./day-spans.ts";
import { NumberCards } from "./number-cards.tsx";
import { NumbersFilters } from "./numbers-filters.tsx";
import { StatusBars } from "./status-bars.tsx";

/** Statistics of the sessions in a span of time. */
export function NumbersPage() {
  const { days = 30, agent } = useSearch({ from: "/frame/numbers" });
  usePageTitle("Insights");
  const { span, before } = spansBack(days, Date.now());
  const stats = useStats(span, agent, true);
  const past = useStats(before ?? {}, agent, before !== null);
  const agents = useAgentNames();
  return (
    <div className="mx-auto max-w-6xl space-y-6 p-4">
      <div className="space-y-3">
        <h1 className="text-xl font-semibold">Insights</h1>
        <NumbersFilters days={days} agent={agent} agents={agents} />
      </div>
      {stats.data ? (
        <Numbers
          stats={stats.data}
          before={before === null ? undefined : past.data}
          span={span}
          agent={agent}
          than={`${days} days before`}
        />
      ) : stats.isError ? (
        <Failed error={stats.error} retry={() => void stats.refetch()} />
      ) : (
        <Loading what="insights" />
      )}
    </div>
  );
}

interface NumbersProps {
  readonly stats: Stats;
  readonly before: Stats | undefined;
  readonly span: DateSpan;
  readonly agent: string | undefined;
  readonly than: string;
}

function Numbers({ stats, before, span, agent, than }: NumbersProps) {
  if (stats.total.sessions === 0) {
    return (
      <Empty title="No sessions in this period">
        <p>Choose a longer period, or run an agent.</p>
        <TerminalHint>
          <CopyText text={'npx belay run demo "what can you do?"'} />
        </TerminalHint>
      </Empty>
    );
  }
  return (
    <>
      <NumberCards stats={stats.total} before={before?.total} than={than} />
      <div className="grid gap-6 lg:grid-cols-[2fr_1fr]">
        <section aria-labelledby="per-day" className="min-w-0">
          <h2 id="per-day" className="font-semibold">
            Sessions per day
          </h2>
          <DayChart bars={barsOf(stats.by_day, span, Date.now())} />
        </section>
        <section aria-labelledby="by-status">
          <h2 id="by-status" className="mb-2 font-semibold">
            Current status
          </h2>
          <StatusBars by_status={stats.total.by_status} agent={agent} />
        </section>
      </div>
      <AgentsTable by_agent={stats.by_agent} />
    </>
  );
}

function useStats(span: DateSpan, agent: string | undefined, enabled: boolean) {
  const asked = { ...span, ...(agent !== undefined && { agent }) };
  return useQuery({
    queryKey: ["stats", asked],
    queryFn: ({ signal }) => call("stats", asked, signal),
    placeholderData: keepPreviousData,
    // Counting reads every session, so it runs now and then rather than with every event.
    staleTime: 10_000,
    refetchInterval: 30_000,
    enabled,
  });
}

/** All agents that ever had a session, including outside agents that nobody configured. */
function useAgentNames(): readonly string[] {
  const { data } = useQuery({
    queryKey: ["stats", {}],
    queryFn: ({ signal }) => call("stats", {}, signal),
  });
  return Object.keys(data?.by_agent ?? {}).sort();
}
