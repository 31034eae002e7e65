import { setImmediate as nextRound } from "node:timers/promises";
import { BelayError, refuse } from "../../contract/errors.ts";
import { LIMITS } from "../../contract/limits.ts";
import type { Output, Parsed } from "../../contract/operations.ts";
import type { AuditLine } from "../../contract/past.ts";
import { readInstant } from "../../contract/read-instant.ts";
import { jsonBytes } from "../../core/text-size.ts";
import { readEvents } from "../../store/read-streams.ts";
import type { StreamStore } from "../../store/stream-store.ts";
import { maySeeEveryone } from "../access/server-admin.ts";
import {
  type AuditedStream,
  type AuditWanted,
  auditedStreams,
  toAuditLine,
} from "../audit/audited-streams.ts";
import { expectAuditedPerson } from "../audit/expect-audited-person.ts";
import { readCursorParts, writeCursorParts } from "../read/cursor-parts.ts";
import { PageRoom } from "../read/page-room.ts";
import type { Caller, ServiceContext } from "../service-context.ts";

const DAY_MS = 24 * 3_600_000;

/** The place of an entry in the order of all: by time, then by stream and seq. */
interface AuditPlace {
  readonly at: number;
  readonly stream: string;
  readonly seq: number;
}

interface Entry extends AuditPlace {
  readonly line: AuditLine;
}

interface Page extends AuditWanted {
  readonly limit: number;
  /** Only entries before this place. */
  readonly before: AuditPlace | null;
}

/** Shows the newest entries of the audit, and with a cursor the entries before them. */
export async function audit(
  context: ServiceContext,
  input: Parsed<"audit">,
  caller: Caller,
): Promise<Output<"audit">> {
  const first = input.id === undefined ? context.now() - DAY_MS : 0;
  const since = input.since === undefined ? first : readInstant(input.since);
  const before = input.cursor === undefined ? null : readPlace(input.cursor);
  const wanted = { ...input, since, before };
  let entries: Entry[] = [];
  let size = 0;
  let isCut = false;
  const cut = (): void => {
    const kept = newest(entries, input.limit);
    isCut ||= kept.length < entries.length;
    entries = kept;
  };
  for (const audited of await auditedStreams(context, caller, wanted)) {
    const found = await readEntries(context.store, audited, wanted);
    // There may be many streams with much to read, so other requests get their turn in between.
    await nextRound();
    isCut ||= found.isCut;
    entries.push(...found.entries);
    size += jsonBytes(found.entries.map(({ line }) => line));
    if (size < 2 * LIMITS.PAGE_BYTES) continue;
    cut();
    size = LIMITS.PAGE_BYTES;
  }
  cut();
  const [oldest] = entries;
  if (!oldest) await expectAuditedPerson(context, caller, input.person, input.everyone);
  return {
    events: entries.map(({ line }) => line),
    next_cursor: isCut && oldest ? writePlace(oldest) : null,
    for_everyone: maySeeEveryone(caller),
  };
}

/** As many of the newest as a page has room for, in order. */
function newest(entries: readonly Entry[], limit: number): Entry[] {
  const room = new PageRoom();
  const sorted = entries.toSorted(compare).slice(-limit);
  const end = sorted.findLastIndex(({ line }) => !room.fits(line));
  return sorted.slice(end + 1);
}

function compare(a: AuditPlace, b: AuditPlace): number {
  if (a.at !== b.at) return a.at - b.at;
  if (a.stream !== b.stream) return a.stream < b.stream ? -1 : 1;
  return a.seq - b.seq;
}

/** Reads a stream from its end, and checks the chain of its hashes. */
async function readEntries(
  store: StreamStore,
  audited: AuditedStream,
  wanted: Page,
): Promise<{ readonly entries: Entry[]; readonly isCut: boolean }> {
  const { id: stream, seq: last } = audited.stream;
  let found: Entry[] = [];
  for (let before = last + 1; before > 1; ) {
    const limit = Math.min(wanted.limit + 1, 500);
    const page = { before, limit, bytes: LIMITS.PAGE_BYTES, chained: true };
    const events = await readEvents(store, stream, page);
    const [oldest] = events;
    if (!oldest) break;
    const entries = events.flatMap((event): Entry[] => {
      const place = { at: event.at, stream, seq: event.seq };
      if (wanted.before && compare(place, wanted.before) >= 0) return [];
      const line = toAuditLine(event, audited, wanted);
      return line ? [{ ...place, line }] : [];
    });
    const all = [...entries, ...found];
    found = newest(all, wanted.limit);
    if (found.length < all.length) return { entries: found, isCut: true };
    if (oldest.at < wanted.since || oldest.writer !== stream) break;
    before = oldest.seq;
  }
  return { entries: found, isCut: false };
}

function writePlace({ at, stream, seq }: AuditPlace): string {
  return writeCursorParts([at, stream, seq]);
}

function readPlace(cursor: string): AuditPlace {
  const [at, stream, seq] = readCursorParts(cursor);
  if (typeof at === "number" && typeof stream === "string" && typeof seq === "number") {
    return { at, stream, seq };
  }
  const message = "Invalid cursor. Use next_cursor from the previous page.";
  throw new BelayError(refuse("invalid_input", message, { field: "cursor" }));
}
