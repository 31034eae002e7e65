import { LIMITS } from "../../contract/limits.ts";
import type { Output, Parsed } from "../../contract/operations.ts";
import type { AuditLine } from "../../contract/past.ts";
import { readInstant } from "../../contract/read-instant.ts";
import { jsonBytes } from "../../core/text-size.ts";
import { readEvents } from "../../store/read-streams.ts";
import type { StreamStore } from "../../store/stream-store.ts";
import { type AuditedStream, auditedStreams, toAuditLine } from "../audit/audited-streams.ts";
import { PageRoom } from "../read/page-room.ts";
import type { Caller, ServiceContext } from "../service-context.ts";

const DAY_MS = 24 * 3_600_000;

/** Shows the newest entries of the audit. */
export async function audit(
  context: ServiceContext,
  input: Parsed<"audit">,
  caller: Caller,
): Promise<Output<"audit">> {
  const first = input.id === undefined ? context.now() - DAY_MS : 0;
  const since = input.since === undefined ? first : readInstant(input.since);
  let events: AuditLine[] = [];
  let size = 0;
  for (const audited of await auditedStreams(context, caller, { ...input, since })) {
    const found = await eventsSince(context.store, audited, since, input.limit);
    events.push(...found);
    size += jsonBytes(found);
    if (size < 2 * LIMITS.PAGE_BYTES) continue;
    events = newest(events, input.limit);
    size = LIMITS.PAGE_BYTES;
  }
  return { events: newest(events, input.limit) };
}

/** As many of the newest as a page has room for, in order. */
function newest(events: readonly AuditLine[], limit: number): AuditLine[] {
  const room = new PageRoom();
  const sorted = events.toSorted((a, b) => Date.parse(a.at) - Date.parse(b.at)).slice(-limit);
  const end = sorted.findLastIndex((event) => !room.fits(event));
  return sorted.slice(end + 1);
}

async function eventsSince(
  store: StreamStore,
  audited: AuditedStream,
  since: number,
  limit: number,
): Promise<AuditLine[]> {
  const { stream } = audited;
  let found: AuditLine[] = [];
  const bytes = LIMITS.PAGE_BYTES;
  for (let before = stream.seq + 1; before > 1 && found.length < limit; ) {
    const page = { before, limit: Math.min(limit, 500), bytes };
    const events = await readEvents(store, stream.id, page);
    const recent = events.filter((event) => event.at >= since);
    const all = [...recent.map((event) => toAuditLine(event, audited)), ...found];
    found = newest(all, limit);
    if (found.length < all.length) break;
    if (recent.length < events.length || events.length === 0) break;
    before = events[0]?.seq ?? 0;
  }
  return found;
}
