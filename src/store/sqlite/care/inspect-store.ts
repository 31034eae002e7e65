import { setImmediate as nextRound } from "node:timers/promises";
import type { Finding } from "../../store-care.ts";
import { inspectBlobs } from "../blobs/inspect-blobs.ts";
import { integerIn, textIn } from "../database/columns.ts";
import type { Connection } from "../database/connection.ts";
import type { DataFolder } from "../database/data-folder.ts";
import { lastSid } from "../database/positions.ts";
import { damaged, messageOf } from "../database/storage-error.ts";
import { inspectAnchor, type SeenStream } from "./inspect-anchor.ts";
import { inspectStream } from "./inspect-stream.ts";

/**
 * Reports everything that is wrong with the stored bytes. An unreadable part is a finding and does
 * not stop the check.
 */
export async function* inspectStore(db: Connection, files: DataFolder): AsyncGenerator<Finding> {
  yield* inspectPages(db);
  const seen = new Map<string, SeenStream>();
  const last = orElse(() => lastSid(db), 0);
  for (let sid = 1; sid <= last; sid += 1) {
    const findings: Finding[] = [];
    const stream = db.snapshot(() => inspectStream(db, sid, findings));
    yield* findings;
    if (stream) seen.set(stream.id, stream);
    if (sid % 16 === 0) await nextRound();
  }
  for (const table of ["events", "rows", "heads", "names", "blob_holders"]) {
    yield* db.snapshot(() => [...inspectOrphans(db, table)]);
  }
  yield* inspectBlobs(db);
  yield* inspectAnchor(db, files, seen);
}

/** SQLite's own check: broken pages, and indexes that do not match their tables. */
function* inspectPages(db: Connection): Generator<Finding> {
  try {
    for (const row of db.all("PRAGMA integrity_check")) {
      const what = textIn(row, "integrity_check", null);
      if (what !== "ok") yield { kind: "damage", stream: null, seq: null, what };
    }
  } catch (error) {
    yield { kind: "damage", stream: null, seq: null, what: messageOf(error) };
  }
}

/** Finds rows of streams that do not exist, because a damaged number detached them. */
function* inspectOrphans(db: Connection, table: string): Generator<Finding> {
  const next = `SELECT sid FROM ${table} WHERE sid > ? ORDER BY sid LIMIT 1`;
  let sid = Number.MIN_SAFE_INTEGER;
  try {
    for (let row = db.get(next, sid); row; row = db.get(next, sid)) {
      const found = integerIn(row, "sid", null);
      if (found <= sid) throw damaged(null, "they are out of order");
      sid = found;
      if (!db.get("SELECT sid FROM streams WHERE sid = ?", sid)) {
        const what = `there are ${table} of stream number ${sid}, which does not exist`;
        yield { kind: "damage", stream: null, seq: null, what };
      }
    }
  } catch (error) {
    const what = `the ${table} cannot be walked through: ${messageOf(error)}`;
    yield { kind: "damage", stream: null, seq: null, what };
  }
}

function orElse<T>(read: () => T, otherwise: T): T {
  try {
    return read();
  } catch {
    return otherwise;
  }
}
