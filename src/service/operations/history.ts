import { BelayError, refuse } from "../../contract/errors.ts";
import type { SessionHead } from "../../contract/head.ts";
import type { Output, Parsed } from "../../contract/operations.ts";
import { readInstant } from "../../contract/read-instant.ts";
import { listedSince } from "../../core/session/list-session.ts";
import { readCursorParts, writeCursorParts } from "../read/cursor-parts.ts";
import { everySession } from "../read/every-session.ts";
import type { FoundSession } from "../read/find-session.ts";
import { findSession } from "../read/find-session.ts";
import { PageRoom } from "../read/page-room.ts";
import { endOf, readSnapshot, type SnapshotPlace, startOf } from "../read/read-snapshot.ts";
import type { Caller, ServiceContext } from "../service-context.ts";

/**
 * One session, or a page of an owner's sessions, each with all its data. The first session of a page may be cut where
 * the page ends; a later one waits for the next page.
 */
export async function history(
  context: ServiceContext,
  input: Parsed<"history">,
  caller: Caller,
): Promise<Output<"history">> {
  const after = input.cursor === undefined ? null : readCursor(input.cursor, input, caller.owner);
  const page =
    input.session_id === undefined
      ? await findPage(context, input, caller.owner, after)
      : { found: [await findShown(context, caller.owner, input.session_id)], next_cursor: null };
  const sessions: Output<"history">["sessions"] = [];
  const room = new PageRoom();
  for (const [n, found] of page.found.entries()) {
    const { entity_id } = found.head;
    const from = after?.entity_id === entity_id ? after.within : null;
    const { snapshot, next } = await readSnapshot(context.store, found, from, room);
    const isFirst = n === 0;
    const { actions, checkpoints, outcomes, ...rest } = snapshot;
    if (!isFirst && (next || !room.fits(rest))) {
      const last = page.found[n - 1];
      return { sessions, next_cursor: last ? cursorBehind(last, input, caller.owner) : null };
    }
    sessions.push({ entity_id, snapshot });
    if (next) {
      const place = { ...placeOf(found, input), within: next };
      return { sessions, next_cursor: writeCursor(place, input, caller.owner) };
    }
  }
  return { sessions, next_cursor: page.next_cursor };
}

async function findShown(
  context: ServiceContext,
  owner: string,
  id: string,
): Promise<FoundSession> {
  const found = await findSession(context, owner, id);
  if (!found.head.deleted) return found;
  const { session_id } = found.head;
  const message = `${session_id} is in the trash. Restore it first.`;
  throw new BelayError(refuse("session_deleted", message, { session_id }));
}

interface Placed {
  readonly found: FoundSession;
  readonly place: HistoryPosition;
}

/** A session's position in the requested order. Sessions without a time come last in both directions. */
interface HistoryPosition {
  readonly at: number | null;
  readonly entity_id: string;
  /** How much of this session was on the previous page; null for all of it. */
  readonly within: SnapshotPlace | null;
}

/**
 * Times that agents report are only stored in heads, so every head is read unless stores list in the same order. Only
 * as many as the page holds are kept, and only their rows are read.
 */
async function findPage(
  { store }: ServiceContext,
  input: Parsed<"history">,
  owner: string,
  after: HistoryPosition | null,
): Promise<{ found: FoundSession[]; next_cursor: string | null }> {
  const { limit } = input;
  const compare = input.order === "asc" ? ascending : descending;
  const asListed = input.order_by === "updated_at" && input.order === "desc";
  const filter = asListed && after?.at != null ? { activity: { before: after.at + 1 } } : {};
  let best: Placed[] = [];
  const cutToBest = () => {
    best = best.sort((a, b) => compare(a.place, b.place)).slice(0, limit + 1);
  };
  for await (const found of everySession(store, owner, filter)) {
    if (found.head.deleted) continue;
    const place = placeOf(found, input);
    const order = after ? compare(place, after) : 1;
    if (order < 0 || (order === 0 && !after?.within)) continue;
    if (asListed && isBelow(place, best[limit]?.place)) break;
    best.push({ found, place });
    if (best.length > 2 * (limit + 1)) cutToBest();
  }
  cutToBest();
  const shown = best.slice(0, limit);
  const last = shown.at(-1);
  return {
    found: shown.map(({ found }) => found),
    next_cursor: best.length > limit && last ? writeCursor(last.place, input, owner) : null,
  };
}

/** The difference exceeds the minute that lists are sorted to, so everything listed later is below too. */
function isBelow({ at }: HistoryPosition, kept: HistoryPosition | undefined): boolean {
  return at !== null && kept?.at != null && at <= listedSince(kept.at);
}

function timeOf(head: SessionHead, by: Parsed<"history">["order_by"]): number | null {
  if (by === "updated_at") return head.updated_at;
  const time = by === "started_at" ? startOf(head) : endOf(head);
  return time === null ? null : readInstant(time);
}

function ascending(a: HistoryPosition, b: HistoryPosition): number {
  if (a.at === b.at) return a.entity_id < b.entity_id ? -1 : a.entity_id > b.entity_id ? 1 : 0;
  if (a.at === null || b.at === null) return a.at === null ? 1 : -1;
  return a.at - b.at;
}

function descending(a: HistoryPosition, b: HistoryPosition): number {
  if (a.at !== b.at && (a.at === null || b.at === null)) return a.at === null ? 1 : -1;
  return ascending(b, a);
}

function placeOf({ head }: FoundSession, { order_by }: Order): HistoryPosition {
  return { at: timeOf(head, order_by), entity_id: head.entity_id, within: null };
}

function cursorBehind(found: FoundSession, order: Order, owner: string): string {
  return writeCursor(placeOf(found, order), order, owner);
}

type Order = Pick<Parsed<"history">, "order_by" | "order">;

function writeCursor(place: HistoryPosition, { order_by, order }: Order, owner: string): string {
  const { at, entity_id, within } = place;
  const rest = within ? [within.kind, within.place, within.nth] : [];
  return writeCursorParts([owner, order_by, order, at, entity_id, ...rest]);
}

/** Valid only for the order and the owner that it was written for. */
function readCursor(cursor: string, { order_by, order }: Order, owner: string): HistoryPosition {
  const [whose, by, direction, at, entity_id, kind, place, nth] = readCursorParts(cursor);
  const fits = whose === owner && by === order_by && direction === order;
  if (fits && typeof entity_id === "string" && (at === null || typeof at === "number")) {
    const isWithin =
      typeof kind === "number" && typeof place === "number" && typeof nth === "number";
    return { at, entity_id, within: isWithin ? { kind, place, nth } : null };
  }
  const message = "Invalid cursor. Use next_cursor from the previous page, or start without one.";
  throw new BelayError(refuse("invalid_input", message, { cursor }));
}
