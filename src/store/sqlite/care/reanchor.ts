import { type Anchor, type AnchorRecord, readAnchor } from "../../log/anchor.ts";
import type { Connection } from "../database/connection.ts";
import type { DataFolder } from "../database/data-folder.ts";
import { lastSid } from "../database/positions.ts";
import { isDamage } from "../database/storage-error.ts";
import { findStreamRowBySid } from "../database/stream-row.ts";
import { findAhead } from "./inspect-anchor.ts";

/**
 * Records the current state of every intact stream in the anchor, and returns how many needed it. A
 * restart records all of them, and makes the earlier records invalid.
 */
export function reanchor(
  db: Connection,
  anchor: Anchor,
  files: DataFolder,
  isRestart: boolean,
): number {
  const streams = new Map(readableStreams(db).map((record) => [record.id, record]));
  if (isRestart) {
    anchor.begin([...streams.values()], true);
    return streams.size;
  }
  const records = findAhead(files.anchor, streams).flatMap(({ id }) => streams.get(id) ?? []);
  if (isSettled(files.anchor)) anchor.write(records);
  else anchor.begin(records);
  return records.length;
}

export function readableStreams(db: Connection): AnchorRecord[] {
  const records: AnchorRecord[] = [];
  const last = lastSid(db);
  for (let sid = 1; sid <= last; sid += 1) {
    try {
      const row = findStreamRowBySid(db, sid);
      if (row) records.push({ id: row.id, seq: row.seq, hash: row.hash });
    } catch (error) {
      if (!isDamage(error)) throw error;
    }
  }
  return records;
}

/** True if the anchor has a start mark and no damage after it. */
function isSettled(anchor: string): boolean {
  let isSettled = false;
  try {
    for (const line of readAnchor(anchor)) {
      if (line.kind === "beginning") isSettled = true;
      if (line.kind === "malformed") isSettled = false;
    }
  } catch {
    // The file is missing, so a new one is started.
  }
  return isSettled;
}
