import type { Segment } from "../../log/lineage.ts";
import { toText, toTextOrNull } from "./columns.ts";
import type { Connection } from "./connection.ts";
import { damaged } from "./storage-error.ts";

/**
 * True if a stream starts with copies of another's events. It never changes after the first commit.
 */
export type HasCopies = (sid: number) => boolean;

/** Returns the writer of an event: the stream that has it, unless it is a copy. */
export function writersOf(
  db: Connection,
  stream: { readonly sid: number; readonly id: string },
  segments: readonly Segment[],
  hasCopies: HasCopies = (sid) => beginsWithCopies(db, sid),
): (seq: number) => string {
  const [only] = segments;
  if (
    segments.length === 1 &&
    only?.sid === stream.sid &&
    !(only.from === 1 && hasCopies(only.sid))
  ) {
    return () => stream.id;
  }
  const writers = new Map<number, string>();
  return (seq) => {
    const segment = segments.find(({ from, to }) => seq >= from && seq <= to);
    if (!segment) throw damaged(stream.id, `no stream wrote its event ${seq}`);
    const { sid, from } = segment;
    const origin = from === 1 && hasCopies(sid) ? originOf(db, sid, seq, stream.id) : null;
    if (origin !== null) return origin;
    if (sid === stream.sid) return stream.id;
    const writer = writers.get(sid) ?? idOf(db, sid, stream.id);
    writers.set(sid, writer);
    return writer;
  };
}

export function beginsWithCopies(db: Connection, sid: number): boolean {
  return originOf(db, sid, 1, "") !== null;
}

/** Not verified here: an event of a wrong stream fails its hash check. */
export function idOf(db: Connection, sid: number, stream: string): string {
  const row = db.getValues("SELECT id FROM streams WHERE sid = ?", sid);
  if (!row) throw damaged(stream, "a stream that it continues is missing");
  return toText(row[0], "id", stream);
}

function originOf(db: Connection, sid: number, seq: number, stream: string): string | null {
  const row = db.getValues("SELECT origin FROM events WHERE sid = ? AND seq = ?", sid, seq);
  return row ? toTextOrNull(row[0], "origin", stream) : null;
}
