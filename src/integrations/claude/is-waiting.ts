import { listSpool, nameTag, type SpoolPlaces } from "./spool.ts";

/** True if an answer has to wait for the spool: it has a sighting of the given session or, with null, any sighting. */
export function isWaiting(places: SpoolPlaces, session_id: string | null): boolean {
  const waiting = listSpool(places);
  if (session_id === null || waiting.length === 0) return waiting.length > 0;
  const tag = nameTag(session_id);
  return waiting.some(({ name }) => !TAGGED.test(name) || name.endsWith(tag));
}

const TAGGED = /-[0-9a-f]{16}\.json$/;
