import { filesLimit } from "../service/access/files-limit.ts";
import { everyPerson } from "../service/read/find-person.ts";
import { inMegabytes } from "../store/expect-room.ts";
import type { Fact } from "../store/store-care.ts";
import type { StreamStore } from "../store/stream-store.ts";

/** The line of `doctor` about the files of sessions: the bytes of each owner, and the limit. */
export async function describeFiles(store: StreamStore, owner: string): Promise<Fact[]> {
  const { blobs } = store;
  if (!blobs) return [];
  const most = filesLimit();
  const people = (await everyPerson(store)).map(({ name }) => name);
  const owners = [...new Set([owner, ...people])];
  const used = await Promise.all(
    owners.map(async (name) => ({ name, bytes: await blobs.used(name) })),
  );
  const some = used.filter(({ bytes }) => bytes > 0).toSorted((a, b) => b.bytes - a.bytes);
  const listed = some
    .slice(0, MOST_SHOWN)
    .map(({ name, bytes }) => `${name} ${inMegabytes(bytes)}`);
  const value = `${listed.join(", ") || "none"} (limit for each owner: ${inMegabytes(most)})`;
  const isFull = some.some(({ bytes }) => bytes >= most * NEARLY);
  const fix = isFull ? "delete files or sessions, or raise BELAY_FILES_LIMIT" : null;
  return [{ name: "files", value, ok: !isFull, fix }];
}

const MOST_SHOWN = 10;
const NEARLY = 0.95;
