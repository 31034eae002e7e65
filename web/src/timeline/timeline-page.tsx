import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { type FormEvent, useId, useState } from "react";
import type { SessionSpans } from "../../../src/contract/past.ts";
import { usePageTitle } from "../shell/page-title.ts";
import { Button, buttonClass } from "../ui/button.tsx";
import { Empty, Failed, Loading } from "../ui/states.tsx";
import { TimeAgo } from "../ui/time-ago.tsx";
import { ChoosePast } from "./choose-past.tsx";
import { LoadEarlier } from "./load-earlier.tsx";
import { PastView } from "./past-view.tsx";
import { usePast } from "./spans/use-past.ts";

/** The timeline of sessions that share an entity or a task. */
export function TimelinePage() {
  const { of } = useSearch({ from: "/frame/past" });
  usePageTitle(of === undefined ? "Timeline" : `Timeline of ${of}`);
  return (
    <div className="p-4">
      <h1 className="text-xl font-semibold">Timeline</h1>
      <FindPast key={of} of={of ?? ""} />
      {of === undefined ? <ChoosePast /> : <Past of={of} />}
    </div>
  );
}

function Past({ of }: { readonly of: string }) {
  const past = usePast(of);
  const { query, sessions, more } = past;
  if (query.isError && sessions.length === 0) {
    return <Failed error={query.error} retry={() => void query.refetch()} />;
  }
  if (query.isPending && sessions.length === 0) return <Loading what="the timeline" />;
  if (sessions.length === 0) {
    return (
      <Empty title={`No sessions found for ${of}`}>
        <p>
          No session mentions this id. Belay finds ids in fields whose name ends in _id, in the
          details of actions, outcomes and checkpoints.
        </p>
        <Link to="/past" className={buttonClass("plain")}>
          Choose a task or session
        </Link>
      </Empty>
    );
  }
  return (
    <section className="mt-4 space-y-3">
      <p className="text-sm text-soft" role="status">
        {sessions.length === 1 ? "1 session" : `${sessions.length} sessions`}
        {more ? ", the newest of more" : ""}
      </p>
      <PastView
        label={`Timeline of ${of}`}
        sessions={sessions}
        heading={(session) => (
          <>
            <SessionHeading session={session} />
            <LoadEarlier session={session} past={past} />
          </>
        )}
      />
    </section>
  );
}

function SessionHeading({ session }: { readonly session: SessionSpans }) {
  const { session_id, title, agent_name, status, created_at } = session;
  return (
    <div className="mb-1.5 flex flex-wrap items-baseline gap-x-3 text-sm">
      <h2 className="min-w-0 font-medium break-words">
        <Link
          to="/s/$id/timeline"
          params={{ id: session_id }}
          className="hover:underline"
          draggable={false}
        >
          {title ?? session_id}
        </Link>
      </h2>
      <span className="text-soft">{agent_name}</span>
      <span className="text-soft">{status}</span>
      <span className="text-faint">
        <TimeAgo at={created_at} />
      </span>
    </div>
  );
}

/** Asks for the entity, task or session. */
function FindPast({ of }: { readonly of: string }) {
  const id = useId();
  const [text, setText] = useState(of);
  const navigate = useNavigate();
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    const wanted = text.trim();
    void navigate({ to: "/past", search: wanted === "" ? {} : { of: wanted } });
  };
  return (
    <search className="mt-3 block max-w-xl">
      <form onSubmit={submit}>
        <label htmlFor={id} className="text-sm text-soft">
          Id of a session, task or entity
        </label>
        <div className="mt-1 flex gap-2">
          <input
            id={id}
            value={text}
            onChange={(event) => setText(event.target.value)}
            spellCheck={false}
            autoComplete="off"
            placeholder="cust_7"
            className="min-h-9 min-w-0 flex-1 rounded-md border border-line bg-panel px-3 font-mono text-sm placeholder:text-faint"
          />
          <Button type="submit">Show</Button>
        </div>
      </form>
    </search>
  );
}
