import type { SessionHead } from "../../contract/head.ts";
import type { SESSION_LISTING } from "../../contract/stream.ts";
import { isSessionHead } from "../../core/session/known-events.ts";
import { listPages } from "../../store/read-streams.ts";
import type { FilterOf, StoredStream, StreamStore } from "../../store/stream-store.ts";

export type SessionFilter = FilterOf<typeof SESSION_LISTING>;

/** All matching sessions of an owner or, with null, of everyone, page by page. */
export async function* everySession(
  store: StreamStore,
  owner: string | null,
  filter: SessionFilter,
): AsyncGenerator<{ stream: StoredStream; head: SessionHead }> {
  for await (const { streams } of listPages(store, { kind: "session", owner, filter })) {
    for (const stream of streams) {
      if (isSessionHead(stream.head)) yield { stream, head: stream.head };
    }
  }
}
