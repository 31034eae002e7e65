import type { MergedWork, SettledConflict } from "../../contract/branch/merged-work.ts";
import { BelayError, refuse } from "../../contract/errors.ts";
import type { SessionHead } from "../../contract/head.ts";
import { LIMITS } from "../../contract/limits.ts";
import type { MergeReport } from "../../contract/operations/branch-operations.ts";
import type { StoredRow } from "../../contract/stream.ts";
import type { MergeSide } from "../../contract/vocabulary.ts";
import { findCommonPoint, findMergedEnd, rangesAfter } from "../../core/branch/lineage.ts";
import { settleMetadata } from "../../core/branch/settle-metadata.ts";
import { jsonBytes } from "../../core/text-size.ts";
import { readRows } from "../../store/read-streams.ts";
import type { StreamStore } from "../../store/stream-store.ts";
import type { FoundSession } from "../read/find-session.ts";
import { readHeadAt } from "../read/read-head-at.ts";
import { readMetadata } from "../read/read-metadata.ts";
import { readLineage } from "./read-lineage.ts";

/** The events that a merge would write, and the report for a person. */
export interface MergePlan {
  /** The number of ranges merged before. */
  readonly merges: number;
  readonly work: MergedWork;
  readonly report: MergeReport;
}

export interface MergeSides {
  readonly from: FoundSession;
  readonly into: FoundSession;
  /** The last merged event of `from`, and its head then. */
  readonly to: number;
  readonly then: SessionHead;
}

/** Compares both sides with their last common state. The cost depends on the new part and the heads. */
export async function planMerge(
  store: StreamStore,
  { from, into, to, then }: MergeSides,
  side: MergeSide | null,
): Promise<MergePlan> {
  const source = from.stream.id;
  const target = into.stream.id;
  const theirs = await readLineage(store, source, from.head, to);
  const ours = await readLineage(store, target, into.head, into.stream.seq);
  const common = findCommonPoint(theirs, ours);
  if (!common) throw new BelayError(notRelated(from, into));
  const merges = await readRows(store, target, { kind: "merge" });
  const after = findMergedEnd(theirs, common.seq, lastMerged(merges));
  const sync = await findSync(store, { source, target, to, merges, common: common.seq });
  const [base, mine, yours, start] = await Promise.all([
    readMetadataAt(store, sync.id, sync.seq),
    readMetadata(store, target, into.head),
    readMetadata(store, source, then),
    readHeadAt(store, source, after),
  ]);
  const values = settleMetadata(base, mine, yours, side);
  const range = { at: to, after, limit: LIMITS.MERGED.items + 1 };
  const isNew = isNewTo(target, lastMerged(merges));
  const read = async (kind: string) =>
    (await readRows(store, source, { kind, ...range })).filter(isNew);
  const [checkpoints, artifacts, outcomes, nested] = await Promise.all([
    read("checkpoint"),
    read("artifact"),
    read("outcome"),
    readRows(store, source, { kind: "merge", ...range }),
  ]);
  const changed = await findSavedAgain(store, target, checkpoints, sync.ours);
  const merged_from = from.head.session_id;
  const brought = ({ place, data }: StoredRow) => ({ in: source, at: place, merged_from, ...data });
  const conflicts: MergeReport["conflicts"] = [
    ...values.conflicts.map((one) => ({ kind: "metadata" as const, ...one, taken: side })),
    ...[...changed].map(([name, { own, their }]) => ({
      kind: "checkpoint" as const,
      name,
      ours: own,
      theirs: their,
      taken: side,
    })),
  ];
  const known = countKnown(nested, target, lastMerged(merges));
  const work: MergedWork = {
    from: { session_id: from.head.session_id, entity_id: source, after, to },
    covers: [
      ...rangesAfter(theirs, after),
      ...nested
        .flatMap(({ data }) => rangeIn(data))
        .filter(({ entity_id }) => entity_id !== target),
    ],
    turns: then.counts.turns - (start?.counts.turns ?? 0) - known,
    actions: then.counts.actions - (start?.counts.actions ?? 0),
    conflicts: conflicts.flatMap(settled),
    metadata: values.taken,
    checkpoints: checkpoints.map((row) => ({
      key: side === "ours" && row.key !== null && changed.has(row.key) ? null : row.key,
      row: brought(row),
    })),
    artifacts: artifacts.map(brought),
    outcomes: outcomes.map((row) => ({ key: row.key, row: brought(row) })),
    summary: then.ended?.summary ?? null,
  };
  expectRoom(work);
  const isEmpty =
    work.turns + work.actions + checkpoints.length + artifacts.length + outcomes.length === 0 &&
    Object.keys(work.metadata).length === 0 &&
    (conflicts.length === 0 || after >= to);
  return {
    merges: merges.length,
    work,
    report: {
      from: from.head.session_id,
      into: into.head.session_id,
      base: common.seq,
      after,
      to,
      turns: work.turns,
      actions: work.actions,
      checkpoints: checkpoints.map(({ data }) => String(data.name)),
      artifacts: artifacts.map(({ data }) => String(data.name)),
      outcomes: outcomes.map(({ data }) => nameOutcome(data)),
      metadata: work.metadata,
      conflicts: after >= to ? [] : conflicts,
      added: after < to && !isEmpty,
      approval_id: null,
      dry_run: false,
    },
  };
}

export function nameOutcome({ type, id }: StoredRow["data"]): string {
  return id === undefined ? String(type) : `${type} ${id}`;
}

function settled({ kind, name, ours, theirs, taken }: MergeReport["conflicts"][number]) {
  if (taken === null) return [];
  const one: SettledConflict = { kind, name, taken, other: taken === "ours" ? theirs : ours };
  return [one];
}

/** The last merged event of each session, by entity id. */
function lastMerged(rows: readonly StoredRow[]): Map<string, number> {
  const merged = new Map<string, number>();
  for (const { entity_id, to } of rows.flatMap(({ data }) => rangeIn(data))) {
    merged.set(entity_id, Math.max(to, merged.get(entity_id) ?? 0));
  }
  return merged;
}

function rangeIn({ session_id, entity_id, after, to }: StoredRow["data"]) {
  return typeof session_id === "string" &&
    typeof entity_id === "string" &&
    typeof after === "number" &&
    typeof to === "number"
    ? [{ session_id, entity_id, after, to }]
    : [];
}

/** Omits work that came to the source from the target, or from a session that was merged into both. */
function isNewTo(target: string, merged: ReadonlyMap<string, number>) {
  return ({ data: { in: source, at } }: StoredRow): boolean =>
    typeof source !== "string" || (source !== target && Number(at) > (merged.get(source) ?? 0));
}

/** Counts the turns that merges brought to the source and that the target already has. */
function countKnown(
  nested: readonly StoredRow[],
  target: string,
  merged: ReadonlyMap<string, number>,
): number {
  let sum = 0;
  for (const { turns, from, end } of nested.map(({ data }) => data)) {
    if (typeof from !== "string" || typeof end !== "number") continue;
    if (from !== target && (merged.get(from) ?? 0) < end) continue;
    sum += Number(turns);
  }
  return sum;
}

interface SyncQuery {
  readonly source: string;
  readonly target: string;
  readonly to: number;
  readonly merges: readonly StoredRow[];
  readonly common: number;
}

/** The newest state that both sides contain, and the last of its events that the target had. */
async function findSync(store: StreamStore, query: SyncQuery) {
  const { source, target, to, merges, common } = query;
  const forward = merges.findLast(({ key }) => key === source);
  const sent = forward && rangeIn(forward.data)[0]?.to;
  const back = await readRows(store, source, { kind: "merge", key: target, at: to });
  const taken = back.at(-1);
  const got = taken && rangeIn(taken.data)[0]?.to;
  if (sent !== undefined && forward && (got === undefined || !taken || sent >= taken.place)) {
    return { id: source, seq: sent, ours: forward.place };
  }
  if (got !== undefined) return { id: target, seq: got, ours: got };
  return { id: target, seq: common, ours: common };
}

async function readMetadataAt(store: StreamStore, id: string, seq: number) {
  const head = await readHeadAt(store, id, seq);
  return head ? readMetadata(store, id, head) : {};
}

/** Checkpoints that the target has saved again under the same name since the common state. */
async function findSavedAgain(
  store: StreamStore,
  target: string,
  checkpoints: readonly StoredRow[],
  since: number,
): Promise<Map<string, { own: unknown; their: unknown }>> {
  const changed = new Map<string, { own: unknown; their: unknown }>();
  for (const { key, data } of checkpoints) {
    if (key === null) continue;
    const own = (await readRows(store, target, { kind: "checkpoint", key, after: since })).at(-1);
    if (own) changed.set(key, { own: own.data.checkpoint_id, their: data.checkpoint_id });
  }
  return changed;
}

function expectRoom({ checkpoints, artifacts, outcomes, from }: MergedWork): void {
  const items = checkpoints.length + artifacts.length + outcomes.length;
  const bytes = jsonBytes([checkpoints, artifacts, outcomes]);
  if (items <= LIMITS.MERGED.items && bytes <= LIMITS.MERGED.bytes) return;
  const message = `${from.session_id} has more checkpoints, artifacts and outcomes than one merge can contain (${LIMITS.MERGED.items}, ${LIMITS.MERGED.bytes} bytes). Merge it in parts: give an earlier event as "at".`;
  throw new BelayError(refuse("limit_reached", message, { items, bytes, most: LIMITS.MERGED }));
}

function notRelated(from: FoundSession, into: FoundSession) {
  const message = `${from.head.session_id} and ${into.head.session_id} share no history. Only forks of the same session can be merged.`;
  const { session_id } = from.head;
  return refuse("not_related", message, { session_id, into: into.head.session_id });
}
