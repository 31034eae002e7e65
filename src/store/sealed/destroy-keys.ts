import { RING_OWNER } from "../is-sealed.ts";
import type { StreamStore } from "../stream-store.ts";
import { type DataEntry, entryRef, keyEvent, unlisted } from "./key-entry.ts";
import { childOf, type DataKey, findEntries, type KeyRing } from "./key-ring.ts";

/**
 * The key that a fork of a stream at `seq` continues: that of the stream that wrote this event, which may be an
 * ancestor. So each key refers to a key whose events it shares.
 */
export function childBase(
  ring: KeyRing,
  parent: DataKey,
  seq: number,
): { readonly key: string; readonly seq: number } | { readonly needs: string } {
  let key = parent;
  while (key.base && seq <= key.base.seq) {
    const ancestor = ring.find(key.base.key);
    if (!ancestor) return { needs: key.base.key };
    key = ancestor;
  }
  return { key: key.id, seq };
}

/**
 * Purges a stream, and then destroys its key unless a fork shares its events. Then destroys the keys of purged
 * ancestors that only this stream needed. The key is marked first, so that `sweepKeys` finds it if the process dies in
 * between.
 */
export async function destroyKeys(
  store: StreamStore,
  ring: KeyRing,
  key: string,
  at: number,
  purge: () => Promise<void>,
): Promise<void> {
  await markUnused(store, ring, key, at);
  await purge();
  await destroyFrom(store, ring, key, at);
}

/**
 * Destroys marked keys that are no longer needed. Returns the number of keys of purged streams that forks still need.
 */
export async function sweepKeys(store: StreamStore, ring: KeyRing, at: number): Promise<number> {
  const marked: string[] = [];
  for (let after = ""; ; ) {
    const page = await store.findByName(RING_OWNER, UNUSED, { limit: 100, after });
    const parts = await store.read(page.map(({ id }) => ({ ref: { id } })));
    marked.push(...parts.flatMap((part) => part?.stream.key ?? []));
    const last = page.at(-1);
    if (!last) break;
    after = last.cursor;
  }
  for (const key of marked) await destroyFrom(store, ring, key, at);
  let needed = 0;
  for (const key of marked) {
    const left = ring.find(key);
    // A stream that changed after its purge was decided still exists.
    if (left && !(await isStored(store, left.writer))) needed += 1;
  }
  return needed;
}

/** The name of entries whose stream was purged, or is being purged. */
const UNUSED = "unused";

async function markUnused(
  store: StreamStore,
  ring: KeyRing,
  key: string,
  at: number,
): Promise<void> {
  await store.transact({
    streams: [entryRef(key)],
    decide: ({ streams: [stream] }) => {
      if (!stream) return { appends: [] };
      const { id, seq, head } = stream;
      const events = [keyEvent(seq + 1, "key.unused", at)];
      const listing = unlisted(ring.declared);
      return { appends: [{ id, events, head, rows: [], names: [UNUSED], listing }] };
    },
  });
}

async function destroyFrom(
  store: StreamStore,
  ring: KeyRing,
  key: string,
  at: number,
): Promise<void> {
  for (let next: string | undefined = key; next !== undefined; ) {
    await ring.load([next]);
    const found: DataKey | undefined = ring.find(next);
    if (!found || (await isNeeded(store, found))) return;
    const [part] = await store.read([{ ref: entryRef(next) }]);
    if (part) await store.purge(part.stream.id, at);
    ring.forget(next);
    next = found.base?.key;
  }
}

/** True if its own stream, or a stream that continues it, needs the key. */
async function isNeeded(
  store: StreamStore,
  { id, writer }: Pick<DataKey, "id" | "writer">,
): Promise<boolean> {
  if (await isStored(store, writer)) return true;
  for (let after = ""; ; ) {
    const page = await store.findByName(RING_OWNER, childOf(id), { limit: 100, after });
    for (const { key, entry } of await findEntries<DataEntry>(store, page, "data")) {
      if (await isNeeded(store, { id: key, writer: entry.writer })) return true;
    }
    const last = page.at(-1);
    if (!last) return false;
    after = last.cursor;
  }
}

async function isStored(store: StreamStore, id: string): Promise<boolean> {
  const [part] = await store.read([{ ref: { id } }]);
  return part !== undefined;
}
