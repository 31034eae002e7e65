import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useEffectEvent, useRef } from "react";
import { ownerIn } from "../../../src/contract/id-pattern.ts";
import { useShared } from "./use-role.ts";

/**
 * Reads counts and questions again if a session of a list is no longer shared with the reader, and removes it from the
 * list. No event of the feed reports that.
 */
export function useUnshared(
  rows: readonly { readonly session_id: string }[],
  remove?: (gone: readonly string[]) => void,
): void {
  const queries = useQueryClient();
  const { data } = useShared(rows.some(({ session_id }) => ownerIn(session_id) !== null));
  const before = useRef<ReadonlySet<string>>(new Set());
  const end = useEffectEvent((gone: readonly string[]) => {
    remove?.(gone);
    for (const key of ["counts", "approvals"]) void queries.invalidateQueries({ queryKey: [key] });
  });
  useEffect(() => {
    if (!data) return;
    const now = new Set(data.sessions.map(({ session_id }) => session_id));
    // Compared with what was shared before, because a row may be newer than this answer.
    const gone = [...before.current].filter((id) => !now.has(id));
    before.current = now;
    if (gone.length > 0) end(gone);
  }, [data]);
}
