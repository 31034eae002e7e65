import { StreamWatchers } from "../stream-watchers.ts";
import { type MemoryBacking, placeOf } from "./memory-backing.ts";
import { sweepBlobs } from "./memory-blobs.ts";

/** Forks have copies of the shared events, so the whole stream can be removed. */
export function purge(backing: MemoryBacking, id: string, seq?: number): void {
  const stream = backing.streams.get(id);
  if (!stream || (seq !== undefined && stream.events.at(-1)?.seq !== seq)) return;
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
