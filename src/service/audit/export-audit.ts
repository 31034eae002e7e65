import { setImmediate as nextRound } from "node:timers/promises";
import { z } from "zod";
import { BelayError, refuse } from "../../contract/errors.ts";
import { parseJson } from "../../contract/is-record.ts";
import { LIMITS } from "../../contract/limits.ts";
import type { AuditLine, AuditProof } from "../../contract/past.ts";
import { deepEqual } from "../../core/deep-equal.ts";
import { viewEvent } from "../../core/view/view-event.ts";
import { readEvents } from "../../store/read-streams.ts";
import type { StreamPart } from "../../store/stream-store.ts";
import { storeFor } from "../access/recorder-store.ts";
import type { Caller, ServiceContext } from "../service-context.ts";
import { type AuditWanted, auditedStreams, toAuditLine } from "./audited-streams.ts";
import { expectAuditedPerson } from "./expect-audited-person.ts";

/** An entry of an exported audit, or the end of the chain of one stream. */
export type ExportedLine =
  | (AuditLine & { readonly stream: string })
  | { readonly chain: { readonly stream: string; readonly seq: number; readonly hash: string } };

/**
 * Yields all entries, stream by stream. Each has its stored hash, which covers all earlier events of its stream. A copy that is
 * kept elsewhere shows later whether anything in the store was changed.
 */
export async function* exportAudit(
  whole: ServiceContext,
  caller: Caller,
  wanted: AuditWanted,
): AsyncGenerator<ExportedLine> {
  const context = { ...whole, store: storeFor(whole.store, caller) };
  await expectAuditedPerson(context, caller, wanted.person, wanted.everyone);
  for (const audited of await auditedStreams(context, caller, wanted)) {
    const { id, seq } = audited.stream;
    let hash: string | null = null;
    for (let after = 0; after < seq; ) {
      const limit = Math.min(500, seq - after);
      // Smaller than a page, because the page before is still in memory.
      const page = { after, limit, bytes: LIMITS.PAGE_BYTES / 4, chained: true };
      const events = await readEvents(context.store, id, page);
      const last = events.at(-1);
      if (!last) break;
      // There may be many pages, so other requests get their turn in between.
      await nextRound();
      for (const event of events) {
        const line = toAuditLine(event, audited, wanted);
        if (line) yield { ...line, stream: id };
      }
      after = last.seq;
      hash = last.hash;
    }
    if (hash !== null) yield { chain: { stream: id, seq, hash } };
  }
}

/** Reads an audit to its end. The store checks each hash and throws if one is wrong. */
export async function proveAudit(lines: AsyncIterable<ExportedLine>): Promise<AuditProof> {
  let [logs, entries] = [0, 0];
  let until: string | null = null;
  for await (const line of lines) {
    if ("chain" in line) {
      logs += 1;
      continue;
    }
    entries += 1;
    if (until === null || line.at > until) until = line.at;
  }
  return { logs, entries, until };
}

/** The fields that every exported line must have. All fields of an entry must have the same values in the store. */
const Kept = z.looseObject({ stream: z.string(), seq: z.number(), hash: z.string() });
const KeptLine = z.union([Kept, z.object({ chain: Kept }).transform(({ chain }) => chain)]);

export interface AuditCheck {
  readonly checked: number;
  /** Entries that were changed, in the store or in the file, or removed from the store. */
  readonly changed: readonly { readonly stream: string; readonly seq: number }[];
}

/** Compares an export that was kept elsewhere with the store as it is. */
export async function checkAudit(
  { store }: Pick<ServiceContext, "store">,
  lines: AsyncIterable<string>,
): Promise<AuditCheck> {
  const changed: { stream: string; seq: number }[] = [];
  let checked = 0;
  for await (const line of lines) {
    if (line.trim() === "") continue;
    const kept = readKept(line, checked + 1);
    const { stream, seq } = kept;
    const events = [{ after: seq - 1, limit: 1, chained: true }];
    const [part] = await store.read([{ ref: { id: stream }, events }]);
    if (!part || !hasKept(part, kept)) changed.push({ stream, seq });
    checked += 1;
  }
  return { checked, changed };
}

function hasKept({ stream, events }: StreamPart, kept: z.infer<typeof Kept>): boolean {
  const event = events[0]?.[0];
  if (!event) return false;
  const { id, kind, key, owner } = stream;
  const line = new Map<string, unknown>(
    Object.entries({ ...viewEvent(event), kind, id: key, owner, stream: id }),
  );
  return Object.entries(kept).every(
    ([name, value]) =>
      deepEqual(value, line.get(name)) ||
      // Admins get the entries of others without their bodies.
      (name === "data" && deepEqual(value, {})),
  );
}

function readKept(line: string, nth: number): z.infer<typeof Kept> {
  const kept = KeptLine.safeParse(parseJson(line));
  if (kept.success) return kept.data;
  const message = `Line ${nth} is not part of an exported audit. Use a file from: belay audit --format ndjson`;
  throw new BelayError(refuse("invalid_input", message, { line: nth }));
}
