import type { SessionHead } from "../../contract/head.ts";
import type { SESSION_LISTING } from "../../contract/stream.ts";
import { isSessionHead } from "../../core/session/known-events.ts";
import type { FilterOf, StoredStream, StreamStore } from "../../store/stream-store.ts";

const PAGE = 1000;

export type SessionFilter = FilterOf<typeof SESSION_LISTING>;

/** All matching sessions of an owner or, with null, of everyone, page by page. */
export async function* everySession(
  store: StreamStore,
  owner: string | null,
  filter: SessionFilter,
): AsyncGenerator<{ stream: StoredStream; head: SessionHead }> {
  let after: string | null | undefined;
  while (after !== null) {
    const page = await store.list({
      kind: "session",
      owner,
      filter,
      limit: PAGE,
      ...(after !== undefined && { after }),
    });
    for (const stream of page.streams) {
      if (isSessionHead(stream.head)) yield { stream, head: stream.head };
    }
    after = page.next;
  }
}
