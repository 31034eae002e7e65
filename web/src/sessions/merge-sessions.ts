import type { Session } from "../../../src/contract/session.ts";
import { listBand } from "../../../src/core/session/list-session.ts";

const MINUTE = 60_000;

/** Changed sessions since a list was read. */
export interface Change {
  /** Their current state, whether or not they belong in the list. */
  readonly sessions: readonly Session[];
  /** The ids of sessions that no longer exist. */
  readonly gone: readonly string[];
}

export const NO_CHANGE: Change = { sessions: [], gone: [] };

/**
 * The list after a change: each session once in its newest known state, in the order of lists, and only those that
 * belong there. Unchanged sessions keep the place that the server chose. `isWhole` means that the list was read to its
 * end.
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
    // A session after the loaded part is read with a later page.
    if (isWhole || !last || comesBefore(session, last)) moving.push(session);
  }
  return moving
    .filter((session) => !gone.has(session.session_id) && belongs(session))
    .sort(inOrder)
    .reduceRight(place, kept);
}

/** The same sessions in the same places, updated: for a list that someone is reading. */
export function refreshSessions(rows: readonly Session[], change: Change): readonly Session[] {
  const changed = newestOf(change.sessions);
  return rows.map((row) => newer(row, changed.get(row.session_id)));
}

/** The number of sessions that a change adds or moves up. */
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

/** The sessions of all pages, each once: one that was active meanwhile may be on two pages. */
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

/**
 * Answers may arrive out of order. With equal versions the later one wins, because the driver is not part of the log.
 */
function newer(known: Session, other: Session | undefined): Session {
  return other && other.version >= known.version ? other : known;
}

/** Inserted before the first session that it precedes; lists are long and little moves in them. */
function place(rows: Session[], session: Session): Session[] {
  const at = rows.findIndex((row) => comesBefore(session, row));
  rows.splice(at === -1 ? rows.length : at, 0, session);
  return rows;
}

function comesBefore(a: Session, b: Session): boolean {
  return inOrder(a, b) <= 0;
}

/** As the server sorts: by minute, so that sessions that work at the same time do not swap places constantly. */
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
