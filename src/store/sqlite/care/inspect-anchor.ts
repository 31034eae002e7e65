import { setTimeout as sleep } from "node:timers/promises";
import { type AnchorRecord, compareAnchored, readAnchor } from "../../log/anchor.ts";
import type { Finding } from "../../store-care.ts";
import { hexOf, integerIn, textIn } from "../database/columns.ts";
import type { Connection } from "../database/connection.ts";
import type { DataFolder } from "../database/data-folder.ts";
import { FolderDurability } from "../database/folder-durability.ts";
import { isMissing } from "../database/storage-error.ts";
import { foundDamage, whatOf } from "./inspect-stream.ts";

export interface SeenStream {
  readonly id: string;
  readonly seq: number;
}

/** Compares the acknowledged events in the anchor with the stored ones. */
export async function* inspectAnchor(
  db: Connection,
  { anchor, folder }: DataFolder,
  seen: ReadonlyMap<string, SeenStream>,
): AsyncGenerator<Finding> {
  const lost = new Map<string, Finding>();
  const durability = new FolderDurability(folder).read();
  let malformed = 0;
  let isWhole = false;
  try {
    for (const line of readAnchor(anchor)) {
      if (line.kind === "beginning") {
        isWhole = true;
        malformed = 0;
      }
      if (line.kind === "restart") lost.clear();
      if (line.kind === "malformed" && !line.isLast) malformed += 1;
      // One finding per stream is enough: the events after a lost one are lost too.
      if (line.kind !== "record" || lost.has(line.id)) continue;
      const what = db.snapshot(() => compare(db, line));
      if (what === undefined) continue;
      const finding = foundDamage(line.id, line.seq, what);
      lost.set(line.id, durability === "process" ? explain(finding) : finding);
    }
  } catch (error) {
    if (!isMissing(error)) lost.set("", foundDamage(null, null, whatOf(error, "the anchor")));
  }
  yield* lost.values();

  let ahead = findAhead(anchor, seen);
  if (ahead.length > 0) {
    // A very recent commit may not be in the anchor yet.
    await sleep(GRACE_MS);
    ahead = findAhead(anchor, seen);
  }
  if (!isWhole && ahead.some(({ anchored }) => anchored === 0)) {
    const what =
      "the anchor is missing or is new, so events lost from the end of a log would not be noticed. Restore a backup, or accept the logs in their current state with `belay verify --accept-anchor`";
    yield { ...foundDamage(null, null, what), lost_anchor: true };
    ahead = ahead.filter(({ anchored }) => anchored > 0);
  }
  for (const { id, seq, anchored } of ahead) {
    const what =
      anchored === 0
        ? "its events were committed and not anchored, as after a crash"
        : `events ${anchored + 1} to ${seq} were committed and not anchored, as after a crash`;
    yield { kind: "crash", stream: id, seq, what };
  }
  if (malformed > 0) {
    const what = `${malformed} records of the anchor were cut short, as after a crash or on a full disk`;
    yield { kind: "crash", stream: null, seq: null, what };
  }
}

/** Without an fsync per commit, a power cut can lose acknowledged changes. */
function explain(finding: Finding): Finding {
  const what = `${finding.what}. A power cut can cause this in a folder with durability process. To accept it: \`belay verify --accept-anchor\``;
  return { ...finding, what, lost_tail: true };
}

interface AheadStream extends SeenStream {
  /** The newest event in the anchor; 0 if there is none. */
  readonly anchored: number;
}

/** Streams that are longer than the anchor says. */
export function findAhead(anchor: string, streams: ReadonlyMap<string, SeenStream>): AheadStream[] {
  const anchored = new Map<string, number>();
  try {
    for (const line of readAnchor(anchor)) {
      if (line.kind === "restart") anchored.clear();
      if (line.kind !== "record" || line.seq <= (anchored.get(line.id) ?? 0)) continue;
      anchored.set(line.id, line.seq);
    }
  } catch {
    // An unreadable anchor confirms nothing.
  }
  return [...streams.values()]
    .map(({ id, seq }) => ({ id, seq, anchored: anchored.get(id) ?? 0 }))
    .filter((stream) => stream.seq > stream.anchored);
}

const GRACE_MS = 100;
const HASH = `SELECT ${hexOf("hash")} AS hash FROM events WHERE sid = ? AND seq = ?`;
const TOMBSTONE = `SELECT seq, ${hexOf("hash")} AS hash FROM tombstones WHERE id = ?`;

/** Describes the problem; undefined if there is none. */
function compare(db: Connection, record: AnchorRecord): string | undefined {
  const { id, seq } = record;
  try {
    const stream = db.get("SELECT sid FROM streams WHERE id = ?", id);
    const event = stream && db.get(HASH, integerIn(stream, "sid", id), seq);
    const tombstone = db.get(TOMBSTONE, id);
    return compareAnchored(record, {
      hasStream: stream !== undefined,
      hash: event ? textIn(event, "hash", id) : null,
      tombstone: tombstone
        ? { seq: integerIn(tombstone, "seq", id), hash: textIn(tombstone, "hash", id) }
        : null,
    });
  } catch (error) {
    return whatOf(error, `event ${seq}`);
  }
}
