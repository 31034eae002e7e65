import { isSystemHead } from "../../core/session/known-events.ts";
import type { StreamStore } from "../../store/stream-store.ts";

/** The key of a workspace that has mirrors, of any owner; null if there is none. */
export async function findMirrors(store: StreamStore): Promise<string | null> {
  for (let after: string | null | undefined; after !== null; ) {
    const query = { kind: "system", owner: null, filter: {}, limit: 500 } as const;
    const page = await store.list({ ...query, ...(after !== undefined && { after }) });
    const found = page.streams.find(({ head }) => isSystemHead(head) && head.mirrors.length > 0);
    if (found) return found.key;
    after = page.next;
  }
  return null;
}
