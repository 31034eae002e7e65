import type { StreamStore } from "../../store/stream-store.ts";

/**
 * True if a session may show turns, states and files of a session that was merged into it. They stay in the log of that
 * session, so it must be the same person's: a fork by another person contains the merge, but gives no access to that log.
 */
export async function showsMerged(
  store: StreamStore,
  id: string,
  merged: string,
): Promise<boolean> {
  const [own, other] = await store.read([{ ref: { id } }, { ref: { id: merged } }]);
  return other !== undefined && other.stream.owner === own?.stream.owner;
}
