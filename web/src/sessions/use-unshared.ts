import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useEffectEvent, useRef } from "react";
import { ownerIn } from "../../../src/contract/id-pattern.ts";
import type { Session } from "../../../src/contract/session.ts";
import { useShared } from "../session/use-role.ts";
import type { Change } from "./merge-sessions.ts";

/** Removes sessions from a list that are no longer shared with the reader. No event of the feed reports that. */
export function useUnshared(
  rows: readonly Session[],
  take: (change: Change) => Promise<void>,
): void {
  const queries = useQueryClient();
  const { data } = useShared(rows.some(({ session_id }) => ownerIn(session_id) !== null));
  const before = useRef<ReadonlySet<string>>(new Set());
  const drop = useEffectEvent((gone: readonly string[]) => {
    void take({ sessions: [], gone });
    for (const key of ["counts", "approvals"]) void queries.invalidateQueries({ queryKey: [key] });
  });
  useEffect(() => {
    if (!data) return;
    const now = new Set(data.sessions.map(({ session_id }) => session_id));
    // Compared with what was shared before, because a row may be newer than this answer.
    const gone = [...before.current].filter((id) => !now.has(id));
    before.current = now;
    if (gone.length > 0) drop(gone);
  }, [data]);
}
