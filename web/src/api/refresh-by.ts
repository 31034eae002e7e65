import type { QueryClient } from "@tanstack/react-query";
import type { FeedLine } from "../../../src/contract/operations/past-operations.ts";
import { ApiError } from "./api-error.ts";

/** The query keys that an event of any session may change; queries of one session also contain its id. */
type Key = "counts" | "approvals" | "recoveries" | "tasks" | "shared" | "shares" | "trash";

/** Many events come at once, so the affected queries are refetched once, this long after the first. */
const GATHER_MS = 250;

/** Refetches the queries that an event may have changed, if they are in use. */
export function refreshBy(queries: QueryClient) {
  const sessions = new Set<string>();
  const keys = new Set<Key>();
  let timer: ReturnType<typeof setTimeout> | null = null;

  const flush = (): void => {
    timer = null;
    for (const key of keys) void queries.invalidateQueries({ queryKey: [key] });
    for (const id of sessions) {
      void queries.invalidateQueries({ queryKey: ["session", id] });
      void queries.invalidateQueries({ queryKey: ["spans", id] });
    }
    keys.clear();
    sessions.clear();
  };

  return {
    line({ kind, id, type }: FeedLine): void {
      // An agent's text only changes its own conversation.
      if (type === "turn.part") return;
      if (kind === "session") sessions.add(id);
      for (const key of changedBy(type)) keys.add(key);
      timer ??= setTimeout(flush, GATHER_MS);
    },
    /** Except for refused ones, which would be refused again. */
    all(): void {
      void queries.invalidateQueries({ predicate: ({ state }) => !isRefused(state.error) });
    },
    /** Refetches the queries that failed while the server was unreachable. */
    unanswered(): void {
      void queries.invalidateQueries({
        predicate: ({ state }) => state.status === "error" && !isRefused(state.error),
      });
    },
    stop(): void {
      if (timer !== null) clearTimeout(timer);
    },
  };
}

function isRefused(error: unknown): boolean {
  return error instanceof ApiError && error.status < 500;
}

function changedBy(type: string): readonly Key[] {
  if (type.startsWith("task.")) return ["tasks"];
  if (type === "session.shared" || type === "session.unshared") {
    return ["counts", "approvals", "recoveries", "shared", "shares"];
  }
  if (type === "session.deleted" || type === "session.undeleted") {
    return ["counts", "approvals", "recoveries", "trash"];
  }
  if (type.startsWith("session.")) return ["counts", "approvals", "recoveries"];
  if (type.startsWith("approval.")) return ["counts", "approvals", "recoveries"];
  return [];
}
