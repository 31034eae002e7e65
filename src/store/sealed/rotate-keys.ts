import type { KeyObject } from "node:crypto";
import type { ListingDeclaration } from "../../contract/stream.ts";
import { RING_ENTRY, RING_OWNER } from "../is-sealed.ts";
import type { StreamStore } from "../stream-store.ts";
import {
  type OwnerEntry,
  type StoreEntry,
  toEntryAppend,
  unwrapKey,
  wrapKey,
} from "./key-entry.ts";
import { addEntry, type FoundEntry, findEntries, keyWrong, OWNERS, ownerName } from "./key-ring.ts";
import type { MasterKey } from "./master-key.ts";

type Wrapped = StoreEntry | OwnerEntry;

interface Rotation {
  /** The first key wraps everything from now on. */
  readonly masters: readonly MasterKey[];
  readonly declared: ListingDeclaration;
  readonly now: number;
}

/**
 * Wraps the ring's own key and the keys of all owners with the first master key. Each gets a new entry before the old
 * one is purged. So a process with both keys can read everything at any moment, and another call can finish an
 * interrupted rotation. The ring's own entry comes first: after that, a process with only the old key can add no owner.
 * Returns the number of wrapped keys.
 */
export async function rotateKeys(store: StreamStore, rotation: Rotation): Promise<number> {
  const own = await findAll<StoreEntry>(store, RING_ENTRY, "store");
  if (own.length === 0) throw keyWrong();
  let wrapped = await rotate(store, own, [RING_ENTRY], rotation);
  const owners = Map.groupBy(
    await findAll<OwnerEntry>(store, OWNERS, "owner"),
    ({ entry }) => entry.owner,
  );
  for (const [owner, entries] of owners) {
    wrapped += await rotate(store, entries, [ownerName(owner), OWNERS], rotation);
  }
  return wrapped;
}

/** The number of owners' entries, by the master key that wraps them. */
export async function countOwners(store: StreamStore): Promise<ReadonlyMap<string, number>> {
  const counts = new Map<string, number>();
  for (const { entry } of await findAll<OwnerEntry>(store, OWNERS, "owner")) {
    counts.set(entry.master, (counts.get(entry.master) ?? 0) + 1);
  }
  return counts;
}

/** These entries contain one key, wrapped by several master keys if a rotation was interrupted. */
async function rotate<T extends Wrapped>(
  store: StreamStore,
  entries: readonly FoundEntry<T>[],
  names: readonly string[],
  { masters, declared, now }: Rotation,
): Promise<number> {
  const [master] = masters;
  const newest = entries.at(-1);
  if (!master || !newest) throw keyWrong();
  const old = entries.filter(({ entry }) => entry.master !== master.fingerprint);
  if (old.length === 0) return 0;
  if (old.length === entries.length) {
    const secret = openOne(entries, masters).export();
    const purpose = { ...purposeOf(newest.entry), master: master.fingerprint };
    const entry = { ...purpose, wrapped: wrapKey(master.secret, purpose, secret) };
    await addEntry(store, [], toEntryAppend(nextKey(newest.key), entry, names, now, declared));
  }
  for (const { id } of old) await store.purge(id, now);
  return 1;
}

function openOne(
  entries: readonly FoundEntry<Wrapped>[],
  masters: readonly MasterKey[],
): KeyObject {
  for (const { entry } of entries) {
    const master = masters.find(({ fingerprint }) => fingerprint === entry.master);
    if (master) return unwrapKey(master.secret, entry);
  }
  throw keyWrong();
}

function purposeOf(entry: Wrapped) {
  return entry.is === "store"
    ? ({ is: "store", master: entry.master } as const)
    : ({ is: "owner", owner: entry.owner, master: entry.master } as const);
}

/** The keys of entries end with a number that rises with each rotation. */
function nextKey(key: string): string {
  return key.replace(/\d+$/, (n) => String(Number(n) + 1));
}

async function findAll<T extends Wrapped>(
  store: StreamStore,
  name: string,
  is: T["is"],
): Promise<FoundEntry<T>[]> {
  const found: FoundEntry<T>[] = [];
  for (let after = ""; ; ) {
    const page = await store.findByName(RING_OWNER, name, { limit: 100, after });
    found.push(...(await findEntries<T>(store, page, is)));
    const last = page.at(-1);
    if (!last) return found;
    after = last.cursor;
  }
}
