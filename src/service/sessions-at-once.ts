import type { StreamStore } from "../store/stream-store.ts";

/** The number of sessions for one transaction: `most`, or fewer if the store has a limit. Each may have its own task. */
export function sessionsAtOnce({ nodes }: StreamStore, most: number): number {
  return nodes ? Math.min(most, Math.floor(nodes.most_streams / 2)) : most;
}
