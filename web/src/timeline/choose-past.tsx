import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { Task } from "../../../src/contract/session.ts";
import { call } from "../api/call.ts";
import { CopyText } from "../ui/copy-text.tsx";
import { Empty, Failed, Loading } from "../ui/states.tsx";
import { TerminalHint } from "../ui/terminal-hint.tsx";
import { TimeAgo } from "../ui/time-ago.tsx";

const MOST = 20;

/** Tasks and sessions to choose a timeline from. */
export function ChoosePast() {
  const tasks = useQuery({
    queryKey: ["tasks"],
    queryFn: ({ signal }) => call("list_tasks", { limit: 100 }, signal),
  });
  const sessions = useQuery({
    queryKey: ["sessions", { limit: MOST, for: "timeline" }],
    queryFn: ({ signal }) => call("list", { limit: MOST }, signal),
  });
  const failed = [tasks, sessions].find(({ isError, data }) => isError && data === undefined);
  if (failed) return <Failed error={failed.error} retry={() => void failed.refetch()} />;
  if (!tasks.data || !sessions.data) return <Loading what="tasks and sessions" />;
  if (tasks.data.tasks.length + sessions.data.sessions.length === 0) {
    return (
      <Empty title="Nothing recorded yet">
        <p>Run an agent, and its work appears here.</p>
        <TerminalHint>
          <CopyText text={'npx belay run demo "what can you do?"'} />
        </TerminalHint>
      </Empty>
    );
  }
  const named = tasks.data.tasks.filter(isNamed).slice(0, MOST);
  return (
    <>
      <p className="mt-3 max-w-2xl text-sm text-soft">
        A timeline shows turns, actions, approvals, checkpoints, recoveries and agent processes. For
        a task or an entity, it shows all sessions that refer to it.
      </p>
      <div className="mt-6 grid grid-cols-1 gap-6 lg:grid-cols-2">
        <List title="Recent sessions">
          {sessions.data.sessions.map(({ session_id, title, agent_name, updated_at }) => (
            <li key={session_id}>
              <Link to="/s/$id/timeline" params={{ id: session_id }} className={ROW}>
                <span className="min-w-0 flex-1 truncate">{title ?? session_id}</span>
                <span className="max-w-32 truncate text-soft">{agent_name}</span>
                <span className="w-20 shrink-0 text-right text-faint">
                  <TimeAgo at={updated_at} />
                </span>
              </Link>
            </li>
          ))}
        </List>
        {named.length > 0 && (
          <List title="Tasks">
            {named.map(({ task_id, title, status, updated_at }) => (
              <li key={task_id}>
                <Link to="/past" search={{ of: task_id }} className={ROW}>
                  <span className="min-w-0 flex-1 truncate">{title}</span>
                  <span className="max-w-32 truncate text-soft">{status}</span>
                  <span className="w-20 shrink-0 text-right text-faint">
                    <TimeAgo at={updated_at} />
                  </span>
                </Link>
              </li>
            ))}
          </List>
        )}
      </div>
    </>
  );
}

/** A task that was created with its session has no name of its own; the session is listed next to it. */
function isNamed({ title, session_id }: Task): boolean {
  return session_id === null || !title.startsWith("agent:");
}

const ROW = "flex min-h-9 items-center gap-3 px-3 py-1.5 text-sm hover:bg-raised";

function List({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <section className="min-w-0">
      <h2 className="mb-2 text-sm font-semibold">{title}</h2>
      <ul className="divide-y divide-line overflow-hidden rounded-md border border-line bg-panel">
        {children}
      </ul>
    </section>
  );
}
