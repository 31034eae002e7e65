import type { Output } from "../../contract/operations.ts";
import { forkName } from "../../core/session/index-session.ts";
import { EVERYONE, SHARE_ROW } from "../../core/shares.ts";
import { readRows } from "../../store/read-streams.ts";
import type { StoredStream, StreamStore } from "../../store/stream-store.ts";
import { everyPerson } from "../read/find-person.ts";

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
    const owners = [owner, ...(await everSharedWith(store, id))];
    const found = await findForks(store, owners, id);
    const forks = found.filter((fork) => !gone.has(fork.id)).map((fork) => nameOf(fork, owner));
    if (forks.length > 0) shared.push({ session_id: key, forks: [...new Set(forks)] });
  }
  return { shared, not_covered: purged.length > 0 ? ["backups", "agent_transcripts"] : [] };
}

/** The ids of another person's sessions are not shown. */
function nameOf(fork: StoredStream, owner: string): string {
  return fork.owner === owner ? fork.key : `${fork.owner}/…`;
}

const MOST_FORKS = 200;
const ROWS_AT_ONCE = 500;

/** The people who have or had a share of a session: nobody else can have forked it. */
async function everSharedWith(store: StreamStore, id: string): Promise<string[]> {
  const people = new Set<string>();
  for (let after = 0; ; ) {
    const rows = await readRows(store, id, { kind: SHARE_ROW, after, limit: ROWS_AT_ONCE });
    for (const { key } of rows) if (key !== null) people.add(key);
    const last = rows.at(-1);
    if (!last) break;
    after = last.place;
  }
  if (people.delete(EVERYONE)) for (const { name } of await everyPerson(store)) people.add(name);
  return [...people];
}

/** Forks of a session, and forks of those. A fork of a fork may part before the first event that its parent wrote. */
async function findForks(
  store: StreamStore,
  owners: readonly string[],
  id: string,
): Promise<StoredStream[]> {
  const found: StoredStream[] = [];
  const open = [id];
  for (let next = open.shift(); next !== undefined; next = open.shift()) {
    const named = forkName(next);
    const places = await Promise.all(
      owners.map((owner) => store.findByName(owner, named, { limit: MOST_FORKS })),
    );
    const parts = await store.read(places.flat().map((place) => ({ ref: { id: place.id } })));
    const forks = parts.flatMap((part) => part?.stream ?? []);
    found.push(...forks);
    if (found.length >= MOST_FORKS) break;
    open.push(...forks.map((fork) => fork.id));
  }
  return found;
}
