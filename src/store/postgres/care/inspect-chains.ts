import { BelayError } from "../../../contract/errors.ts";
import { LIMITS } from "../../../contract/limits.ts";
import type { LeaseClock } from "../../lease-rules.ts";
import type { Finding } from "../../store-care.ts";
import type { Database } from "../database/database.ts";
import { isDamage } from "../database/postgres-error.ts";
import { readParts } from "../read/read-parts.ts";

/** Reads every event once, which checks its hash. It needs no key, because the hashes cover what is stored. */
export async function* inspectChains(
  database: Database,
  clock: (now: number | undefined) => LeaseClock,
): AsyncGenerator<Finding> {
  for (let last = 0; ; ) {
    const streams = await database.query<OwnEvents>(NEXT_STREAMS, [last, PAGE]);
    if (streams.length === 0) return;
    for (const stream of streams) {
      const what = await findBreak(database, stream, clock);
      if (what !== null) yield { kind: "damage", stream: stream.id, seq: null, what };
      last = stream.sid;
    }
  }
}

interface OwnEvents {
  readonly sid: number;
  readonly id: string;
  /** Events up to this seq also belong to another stream, and are checked with that one. */
  readonly shared: number;
  readonly seq: number;
}

async function findBreak(
  database: Database,
  { id, shared, seq }: OwnEvents,
  clock: (now: number | undefined) => LeaseClock,
): Promise<string | null> {
  try {
    for (let after = shared; after < seq; ) {
      const events = [{ after, limit: Math.min(PAGE, seq - after), bytes: LIMITS.PAGE_BYTES }];
      const [part] = await database.read((session) =>
        readParts(session, [{ ref: { id }, events }], Infinity, clock),
      );
      // It was purged meanwhile.
      if (!part) return null;
      after += part.events[0]?.length ?? seq;
    }
    return null;
  } catch (error) {
    if (error instanceof BelayError && isDamage(error)) return error.message;
    throw error;
  }
}

const PAGE = 500;
/** The events that a purged stream shares with its forks are read with each of them. */
const NEXT_STREAMS = `SELECT s.sid, s.id, s.seq, CASE WHEN p.kind = 'purged' THEN 0 ELSE coalesce(s.parent_upto, 0) END AS shared
  FROM belay.streams s LEFT JOIN belay.streams p ON p.sid = s.parent
  WHERE s.sid > $1 AND s.kind <> 'purged' ORDER BY s.sid LIMIT $2`;
