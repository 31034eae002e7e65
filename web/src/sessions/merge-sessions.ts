import type { Session } from "../../../src/contract/session.ts";
import { listBand } from "../../../src/core/session/list-session.ts";

const MINUTE = 60_000;

/** What has become of sessions since a list was read. */
export interface Change {
  /** As they are now, whether they belong into the list or not. */
  readonly sessions: readonly Session[];
  /** Ids of those that there are no more. */
  readonly gone: readonly string[];
}

export const NO_CHANGE: Change = { sessions: [], gone: [] };

/**
 * A list with a change worked in: each session once and as new as it is known, in the order of lists, and none
 * that does not belong there. What has not changed keeps its place, which the server has chosen. `isWhole` says that
 * the list was read to its end.
 */
export function mergeSessions(
  rows: readonly Session[],
  change: Change,
  isWhole: boolean,
  belongs: (session: Session) => boolean,
): readonly Session[] {
  const changed = newestOf(change.sessions);
  const gone = new Set(change.gone);
  const moving: Session[] = [];
  const kept = rows.filter((row) => {
    if (gone.has(row.session_id)) return false;
    const other = changed.get(row.session_id);
    if (!other) return true;
    moving.push(newer(row, other));
    changed.delete(row.session_id);
    return false;
  });
  const last = rows.at(-1);
  for (const session of changed.values()) {
    // What comes behind all that was read so far is read in its turn.
    if (isWhole || !last || comesBefore(session, last)) moving.push(session);
  }
  return moving
    .filter((session) => !gone.has(session.session_id) && belongs(session))
    .sort(inOrder)
    .reduceRight(place, kept);
}

/** The same sessions in the same places, as new as they are known: for a list in which somebody reads. */
export function refreshSessions(rows: readonly Session[], change: Change): readonly Session[] {
  const changed = newestOf(change.sessions);
  return rows.map((row) => newer(row, changed.get(row.session_id)));
}

/** How many sessions a change brings in or further up. */
export function countNewer(
  rows: readonly Session[],
  merged: readonly Session[],
  change: Change,
): number {
  const before = placesOf(rows);
  const after = placesOf(merged);
  const isFurtherUp = ({ session_id: id }: Session) =>
    (after.get(id) ?? merged.length) < (before.get(id) ?? merged.length);
  return [...newestOf(change.sessions).values()].filter(isFurtherUp).length;
}

/** The sessions of all pages, each once: one that was active in between may stand in two of them. */
export function joinPages(pages: readonly { readonly sessions: readonly Session[] }[]) {
  return [...newestOf(pages.flatMap(({ sessions }) => sessions)).values()];
}

export function addChange(held: Change, change: Change): Change {
  const gone = new Set([...held.gone, ...change.gone]);
  return {
    sessions: [...newestOf([...held.sessions, ...change.sessions]).values()],
    gone: [...gone],
  };
}

function newestOf(sessions: readonly Session[]): Map<string, Session> {
  const found = new Map<string, Session>();
  for (const session of sessions) {
    const known = found.get(session.session_id);
    found.set(session.session_id, known ? newer(known, session) : session);
  }
  return found;
}

function placesOf(rows: readonly Session[]): Map<string, number> {
  return new Map(rows.map(({ session_id }, place) => [session_id, place]));
}

/** Answers may arrive in another order than they were given. What is not in the log, as who drives it, comes with the later one. */
function newer(known: Session, other: Session | undefined): Session {
  return other && other.version >= known.version ? other : known;
}

/** Before the first that it comes before; lists are long and little moves in them. */
function place(rows: Session[], session: Session): Session[] {
  const at = rows.findIndex((row) => comesBefore(session, row));
  rows.splice(at === -1 ? rows.length : at, 0, session);
  return rows;
}

function comesBefore(a: Session, b: Session): boolean {
  return inOrder(a, b) <= 0;
}

/** As the server sorts: by the minute, so that what works at the same time does not change places all the time. */
function inOrder(a: Session, b: Session): number {
  return (
    listBand(a) - listBand(b) ||
    minuteOf(b) - minuteOf(a) ||
    Date.parse(b.created_at) - Date.parse(a.created_at)
  );
}

function minuteOf({ updated_at }: Session): number {
  return Math.floor(Date.parse(updated_at) / MINUTE);
}
