import { Link } from "@tanstack/react-router";
import { useEffect, useRef, useState } from "react";
import type { Session } from "../../../src/contract/session.ts";
import { nameOf } from "../sessions/session-words.ts";
import { usePageTitle } from "../shell/page-title.ts";
import { buttonClass } from "../ui/button.tsx";
import { Empty, Failed, Loading } from "../ui/states.tsx";
import { type Removal, TrashRow } from "./trash-row.tsx";
import { useTrash } from "./use-trash.ts";

const WORDS = { restored: "Restored", purged: "Deleted forever" } as const satisfies Record<
  Removal,
  string
>;

/** Lists the deleted sessions, with the controls to restore them or to delete them forever. */
export function TrashPage() {
  usePageTitle("Trash");
  const { data, error, refetch } = useTrash();
  const sessions = data?.sessions;
  const [done, setDone] = useState<{ removal: Removal; session: Session } | null>(null);
  const { list, removed } = useFocusAfter(sessions);
  return (
    <div className="mx-auto max-w-4xl space-y-4 p-4">
      <div className="flex flex-wrap items-center justify-between gap-3">
        <h1 className="text-xl font-semibold">Trash</h1>
        <Link to="/" className={buttonClass("plain")}>
          All sessions
        </Link>
      </div>
      <p className="text-soft">
        A session stays here for 7 days, or longer if the server does not run all the time. Then
        Belay removes it for good.
      </p>
      <p role="status" className={done ? "rounded-md bg-raised px-4 py-2 text-sm" : "sr-only"}>
        {done && (
          <>
            {WORDS[done.removal]}:{" "}
            <Name session={done.session} isLink={done.removal === "restored"} />
          </>
        )}
      </p>
      {!data && error && <Failed error={error} retry={() => void refetch()} />}
      {!data && !error && <Loading what="the trash" />}
      {sessions?.length === 0 && (
        <Empty title="Trash is empty">
          <p>Deleted sessions appear here, and you can restore them.</p>
        </Empty>
      )}
      {sessions && sessions.length > 0 && (
        <ul
          ref={list}
          aria-label="Deleted sessions"
          className="divide-y divide-line rounded-lg border border-line bg-panel"
        >
          {sessions.map((session, nth) => (
            <TrashRow
              key={session.session_id}
              session={session}
              onRemoved={(removal) => {
                setDone({ removal, session });
                removed(nth);
              }}
            />
          ))}
        </ul>
      )}
      {data?.more && (
        <p className="text-sm text-soft">
          Not all sessions are shown. Restore or delete some to see the rest.
        </p>
      )}
    </div>
  );
}

function Name({ session, isLink }: { readonly session: Session; readonly isLink: boolean }) {
  const name = nameOf(session);
  if (!isLink) return <span className="font-medium break-words">{name}</span>;
  return (
    <Link
      to="/s/$id"
      params={{ id: session.session_id }}
      className="font-medium break-words text-accent underline underline-offset-2"
    >
      {name}
    </Link>
  );
}

/** When the row with the focus disappears, the focus moves to the row that took its place. */
function useFocusAfter(sessions: readonly Session[] | undefined) {
  const list = useRef<HTMLUListElement>(null);
  const place = useRef<number | null>(null);
  useEffect(() => {
    if (place.current === null || !sessions) return;
    const links = list.current?.querySelectorAll<HTMLElement>("a") ?? [];
    const next = links[Math.min(place.current, links.length - 1)];
    (next ?? document.getElementById("main"))?.focus();
    place.current = null;
  }, [sessions]);
  return {
    list,
    removed(nth: number): void {
      place.current = nth;
    },
  };
}
