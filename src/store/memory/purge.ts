import { StreamWatchers } from "../stream-watchers.ts";
import { type MemoryBacking, placeOf } from "./memory-backing.ts";
import { sweepBlobs } from "./memory-blobs.ts";

/** Forks have copies of the shared events, so the whole stream can be removed. */
export function purge(backing: MemoryBacking, id: string): void {
  const stream = backing.streams.get(id);
  if (!stream) return;
  backing.purged.add(id);
  backing.streams.delete(id);
  backing.ids.delete(placeOf(stream));
  backing.names = backing.names.filter((place) => place.id !== id);
  for (const [position, event] of backing.feed.entries()) {
    if (event?.stream === id) backing.feed[position] = null;
  }
  for (const [key, answer] of backing.remembered) {
    if (answer.id === id) backing.remembered.delete(key);
  }
  sweepBlobs(backing);
  backing.watchers.call([[id, StreamWatchers.GONE]]);
}
