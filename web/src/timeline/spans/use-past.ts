import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useMemo, useState } from "react";
import type { SessionSpans } from "../../../../src/contract/past.ts";
import { call } from "../../api/call.ts";
import { useLive } from "../../live/live.tsx";
import { type Gathered, gatherSpans } from "./gather-spans.ts";

const LIMIT = 400;
/** The activity of many sessions is read at most this often. */
const GATHER_MS = 1000;
const NOTHING: Gathered = new Map();

interface EarlierFailure {
  readonly session_id: string;
  readonly error: unknown;
}

/**
 * The timeline of an entity, a task or a session: the newest part, kept up to date, and as much earlier data as was
 * requested.
 */
export function usePast(of: string) {
  const query = useQuery({
    queryKey: ["spans", of],
    queryFn: ({ signal }) => call("spans", { entity_id: of, limit: LIMIT }, signal),
  });
  const [gathered, setGathered] = useState<{ readonly of: string; readonly known: Gathered }>({
    of,
    known: NOTHING,
  });
  const [seen, setSeen] = useState<typeof query.data>(undefined);
  const [loading, setLoading] = useState<string | null>(null);
  const [failure, setFailure] = useState<EarlierFailure | null>(null);

  if (query.data && (query.data !== seen || gathered.of !== of)) {
    const before = gathered.of === of ? gathered.known : NOTHING;
    setSeen(query.data);
    setGathered({ of, known: gatherSpans(before, query.data, "newest") });
  }
  const sessions = useMemo(() => [...gathered.known.values()], [gathered]);
  useRefreshBySessions(of, sessions);

  const loadEarlier = async ({ session_id, earlier }: SessionSpans): Promise<void> => {
    if (earlier === null || loading !== null) return;
    setLoading(session_id);
    setFailure(null);
    try {
      const answer = await call("spans", { entity_id: session_id, before: earlier, limit: LIMIT });
      setGathered(({ of: now, known }) => ({
        of: now,
        known: now === of ? gatherSpans(known, answer, "earlier") : known,
      }));
    } catch (error) {
      setFailure({ session_id, error });
    } finally {
      setLoading(null);
    }
  };
  return { query, sessions, more: query.data?.more ?? false, loadEarlier, loading, failure };
}

/** The feed names sessions; only this page knows which belong to a task or an entity. */
function useRefreshBySessions(of: string, sessions: readonly SessionSpans[]): void {
  const queries = useQueryClient();
  const { listen } = useLive();
  useEffect(() => {
    const ids = new Set(sessions.map(({ session_id }) => session_id));
    let timer: ReturnType<typeof setTimeout> | undefined;
    const stop = listen(({ id, type }) => {
      const concerns = ids.has(id) ? id !== of && type !== "turn.part" : type === "session.created";
      if (!concerns) return;
      timer ??= setTimeout(() => {
        timer = undefined;
        void queries.invalidateQueries({ queryKey: ["spans", of] });
      }, GATHER_MS);
    });
    return () => {
      stop();
      clearTimeout(timer);
    };
  }, [of, sessions, listen, queries]);
}
