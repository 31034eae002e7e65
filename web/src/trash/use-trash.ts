import { useQuery } from "@tanstack/react-query";
import type { Session } from "../../../src/contract/session.ts";
import { call } from "../api/call.ts";
import { readPages } from "../api/read-pages.ts";

interface Trash {
  readonly sessions: readonly Session[];
  /** True if there are more sessions than were read. */
  readonly more: boolean;
}

/** The deleted sessions, the one that was deleted last first. */
export function useTrash() {
  return useQuery({ queryKey: ["trash"], queryFn: ({ signal }) => readTrash(signal) });
}

async function readTrash(signal: AbortSignal): Promise<Trash> {
  const { pages, more } = await readPages((place) =>
    call("list", { deleted: true, ...place }, signal),
  );
  const sessions = new Map(
    pages.flatMap((page) => page.sessions.map((one) => [one.session_id, one] as const)),
  );
  return { sessions: [...sessions.values()].sort(byDeletion), more };
}

function byDeletion(a: Session, b: Session): number {
  return (b.deleted_at ?? "").localeCompare(a.deleted_at ?? "");
}
