import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { useEffect, useEffectEvent, useRef, useState } from "react";
import { useCounts } from "../api/use-counts.ts";
import { useUnshared } from "../session/use-unshared.ts";
import { usePageTitle } from "../shell/page-title.ts";
import { useShortcut } from "../shell/shortcuts.ts";
import { Button, buttonClass } from "../ui/button.tsx";
import { Failed, Loading } from "../ui/states.tsx";
import { FilterBar } from "./filter-bar.tsx";
import type { FilterChange } from "./filters.ts";
import { placeIn, TOP_PX } from "./list-places.ts";
import { NewSessionDialog } from "./new-session-dialog.tsx";
import { NoSessions, NothingFound } from "./no-sessions.tsx";
import { SessionTable } from "./session-table.tsx";
import { nameOf } from "./session-words.ts";
import type { Actions } from "./use-actions.tsx";
import { useActions } from "./use-actions.tsx";
import { useAgents } from "./use-agents.ts";
import { useSessionList } from "./use-session-list.ts";

export function SessionsPage() {
  usePageTitle("Sessions");
  const filters = useSearch({ from: "/frame/" });
  const name = JSON.stringify(filters);
  const navigate = useNavigate();
  const scroller = useRef<HTMLDivElement>(null);
  // Before it is rendered, its stored position counts.
  const isAtTop = () => (scroller.current?.scrollTop ?? placeIn(name).top) < TOP_PX;
  const list = useSessionList(filters, isAtTop);
  const actions = useActions(list.take);
  useUnshared(list.rows, (gone) => void list.take({ sessions: [], gone }));
  const agents = useAgents().data ?? [];
  const counts = useCounts().data;
  const [isBeginning, setBeginning] = useState(false);
  const begin = () => setBeginning(true);
  useShortcut("c", "New session", begin);

  const narrow = (change: FilterChange, isTyping = false): void =>
    void navigate({ to: "/", search: change, replace: isTyping });
  const [clearings, setClearings] = useState(0);
  const clear = (): void => {
    setClearings((count) => count + 1);
    narrow(() => ({}));
  };
  const { rows, query } = list;
  const isFiltered = Object.keys(filters).length > 0;
  const isSearching = rows.length === 0 && (query.hasNextPage || query.isPlaceholderData);
  const isEmpty = rows.length === 0 && !isSearching && query.data !== undefined;

  return (
    <div className="flex h-full flex-col">
      <div className="flex flex-wrap items-center justify-between gap-3 px-4 pt-4 pb-3">
        <h1 className="flex items-center gap-2.5 text-xl font-semibold">
          Sessions
          {counts && (
            <span
              title="open or completed"
              className="rounded-full bg-raised px-2 text-sm leading-6 font-medium text-soft tabular-nums"
            >
              {counts.badge.toLocaleString("en")}
              <span className="sr-only"> open or completed</span>
            </span>
          )}
        </h1>
        <div className="flex gap-2">
          <Link to="/import" className={buttonClass("plain")}>
            Import
          </Link>
          <Button look="primary" onClick={begin}>
            New session
          </Button>
        </div>
      </div>
      <FilterBar
        filters={filters}
        rows={rows}
        agents={agents.map((agent) => agent.name)}
        clearings={clearings}
        onChange={narrow}
        onClear={clear}
      />
      <DamagedSessions damaged={list.damaged} />
      {query.isError && !query.data ? (
        <Failed error={query.error} retry={() => void query.refetch()} />
      ) : query.isPending ? (
        <Loading what="sessions" lines={10} />
      ) : isEmpty && isFiltered ? (
        <NothingFound filters={filters} onChange={narrow} onClear={clear} />
      ) : isEmpty && hasNone(counts?.by_status) ? (
        <div className="min-h-0 flex-1 overflow-y-auto">
          <NoSessions onNew={begin} />
        </div>
      ) : isEmpty ? (
        <NothingFound filters={filters} onChange={narrow} onClear={clear} />
      ) : (
        <SessionTable
          key={name}
          list={list}
          actions={actions}
          name={name}
          isSearch={filters.q !== undefined}
          scroller={scroller}
        />
      )}
      <TrashNotice actions={actions} />
      {actions.dialogs}
      <NewSessionDialog open={isBeginning} onClose={() => setBeginning(false)} />
    </div>
  );
}

function hasNone(numbers: Readonly<Record<string, number>> | undefined): boolean {
  return numbers !== undefined && Object.values(numbers).every((number) => number === 0);
}

const NAMED = 3;

interface DamagedSessionsProps {
  readonly damaged: readonly { readonly entity_id: string; readonly session_id: string }[];
}

/** Unreadable sessions are listed, and hide no others. */
function DamagedSessions({ damaged }: DamagedSessionsProps) {
  const names = [...new Set(damaged.map(({ session_id }) => session_id))];
  if (names.length === 0) return null;
  const more = names.length - NAMED;
  return (
    <p className="mx-4 mb-3 text-sm break-words text-warn" role="status">
      {names.length === 1 ? "One session cannot" : `${names.length} sessions cannot`} be read:{" "}
      {names.slice(0, NAMED).join(", ")}
      {more > 0 && ` and ${more} more`}. Run <code className="font-mono">npx belay verify</code> to
      see what is wrong.
    </p>
  );
}

const SHOWN_MS = 12_000;

/** The session that was moved to the trash, with an undo button. */
function TrashNotice({ actions }: { readonly actions: Actions }) {
  const { trashed, undo, forgetTrashed } = actions;
  const forget = useEffectEvent(forgetTrashed);
  useEffect(() => {
    if (!trashed) return;
    const timer = setTimeout(() => forget(), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [trashed]);
  return (
    <div role="status">
      {trashed && (
        <div className="flex items-center gap-3 border-t border-line bg-raised px-4 py-2 text-sm">
          <p className="min-w-0 flex-1 truncate">
            In the{" "}
            <Link to="/trash" className="underline underline-offset-2">
              trash
            </Link>{" "}
            for 7 days: <span className="font-medium">{nameOf(trashed)}</span>
          </p>
          <Button onClick={undo}>Restore</Button>
          <Button look="quiet" onClick={forgetTrashed}>
            Dismiss
          </Button>
        </div>
      )}
    </div>
  );
}
