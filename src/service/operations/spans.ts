import type { Output, Parsed } from "../../contract/operations.ts";
import type { SessionSpans } from "../../contract/past.ts";
import { readInstant } from "../../contract/read-instant.ts";
import { endOfSpan } from "../../core/end-of-span.ts";
import { isSessionHead } from "../../core/session/known-events.ts";
import { loadStream } from "../../store/read-streams.ts";
import type { StreamStore } from "../../store/stream-store.ts";
import { findReferring } from "../read/find-referring.ts";
import type { FoundSession } from "../read/find-session.ts";
import { PageRoom } from "../read/page-room.ts";
import { isWithin, readSpans, timesOf } from "../read/read-spans.ts";
import type { Caller, ServiceContext } from "../service-context.ts";

const MOST_SESSIONS = 50;
/** After this many spans, no further session is read. */
const ENOUGH_SPANS = 20_000;

/** The spans of the sessions that refer to an entity. */
export async function spans(
  { store }: ServiceContext,
  input: Parsed<"spans">,
  caller: Caller,
): Promise<Output<"spans">> {
  const { entity_id, limit, before = Number.MAX_SAFE_INTEGER } = input;
  const from = input.start_date === undefined ? -Infinity : readInstant(input.start_date);
  const to = input.end_date === undefined ? Infinity : endOfSpan(input.end_date);
  // A place refers to the log of the session itself.
  const found = await (input.before === undefined
    ? findReferring(store, caller.owner, entity_id)
    : findItself(store, caller.owner, entity_id));
  const within = found
    .map((session) => ({ session, times: timesOf(session) }))
    .filter(({ times }) => isWithin({ from: times.created_at, to: times.ended_at }, { from, to }))
    .sort((a, b) => Date.parse(b.times.created_at) - Date.parse(a.times.created_at));
  const sessions: SessionSpans[] = [];
  const room = new PageRoom();
  let told = 0;
  for (const { session } of within.slice(0, MOST_SESSIONS)) {
    if (told >= ENOUGH_SPANS) break;
    const read = await readSpans(store, session, { before, limit, from, to });
    if (!room.fits(read)) break;
    told += read.spans.length;
    sessions.push(read);
  }
  return { entity_id, more: sessions.length < within.length, sessions };
}

async function findItself(store: StreamStore, owner: string, key: string): Promise<FoundSession[]> {
  const stream = await loadStream(store, { kind: "session", owner, key });
  const head = stream?.head;
  return stream && isSessionHead(head) && !head.deleted ? [{ stream, head }] : [];
}
