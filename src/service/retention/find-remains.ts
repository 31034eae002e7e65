import type { Output } from "../../contract/operations.ts";
import { forkName } from "../../core/session/index-session.ts";
import type { StoredStream, StreamStore } from "../../store/stream-store.ts";

type Remains = Pick<Output<"cleanup">, "shared" | "not_covered">;

/** The parts of purged sessions that stay: events that forks share, and copies outside of the store. */
export async function findRemains(
  store: StreamStore,
  owner: string,
  purged: readonly StoredStream[],
): Promise<Remains> {
  const gone = new Set(purged.map(({ id }) => id));
  const shared: Remains["shared"] = [];
  for (const { id, key } of purged) {
    const forks = (await findForks(store, owner, id)).filter((fork) => !gone.has(fork.id));
    if (forks.length > 0) shared.push({ session_id: key, forks: forks.map((fork) => fork.key) });
  }
  return { shared, not_covered: purged.length > 0 ? ["backups", "agent_transcripts"] : [] };
}

const MOST_FORKS = 200;

/** Forks of a session, and forks of those. A fork of a fork may part before the first event that its parent wrote. */
async function findForks(store: StreamStore, owner: string, id: string): Promise<StoredStream[]> {
  const found: StoredStream[] = [];
  const open = [id];
  for (let next = open.shift(); next !== undefined; next = open.shift()) {
    const places = await store.findByName(owner, forkName(next), { limit: MOST_FORKS });
    const parts = await store.read(places.map((place) => ({ ref: { id: place.id } })));
    const forks = parts.flatMap((part) => part?.stream ?? []);
    found.push(...forks);
    if (found.length >= MOST_FORKS) break;
    open.push(...forks.map((fork) => fork.id));
  }
  return found;
}
