import type { SessionHead } from "../../contract/head.ts";
import { isRecord } from "../../contract/is-record.ts";
import { LIMITS } from "../../contract/limits.ts";
import type { ComparedSide, ComparedTurn } from "../../contract/operations/branch-operations.ts";
import type { Output, Parsed } from "../../contract/operations.ts";
import type { Turn } from "../../contract/session.ts";
import type { StoredRow } from "../../contract/stream.ts";
import { shortenText } from "../../contract/visible-text.ts";
import { findCommonPoint } from "../../core/branch/lineage.ts";
import { deepEqual } from "../../core/deep-equal.ts";
import { readRows } from "../../store/read-streams.ts";
import type { StreamStore } from "../../store/stream-store.ts";
import { type FoundSession, findSession } from "../read/find-session.ts";
import { readConversation } from "../read/read-conversation.ts";
import { readHeadAt } from "../read/read-head-at.ts";
import { readMetadata } from "../read/read-metadata.ts";
import type { Caller, ServiceContext } from "../service-context.ts";
import { nameOutcome } from "./plan-merge.ts";
import { readLineage } from "./read-lineage.ts";

const NAMED = 100;
/** Limits for the texts that a comparison shows. */
const SHOWN_CHARS = 2000;
const CALLS = 50;
const VALUE_CHARS = 2000;

/** Compares two sessions. The cost depends on the shown part, not on their length. */
export async function compareSessions(
  context: ServiceContext,
  input: Parsed<"compare">,
  caller: Caller,
): Promise<Output<"compare">> {
  const { store } = context;
  const a = await findSession(context, caller.owner, input.id);
  const b = await findSession(context, caller.owner, input.with);
  const common = findCommonPoint(
    await readLineage(store, a.stream.id, a.head, a.stream.seq),
    await readLineage(store, b.stream.id, b.head, b.stream.seq),
  );
  const base = common?.seq ?? 0;
  const start = base === 0 ? null : await readHeadAt(store, a.stream.id, base);
  const [sideA, sideB, turnsA, turnsB, valuesA, valuesB] = await Promise.all([
    readSide(store, a, base, start),
    readSide(store, b, base, start),
    readTurns(store, a, base, input),
    readTurns(store, b, base, input),
    readMetadata(store, a.stream.id, a.head),
    readMetadata(store, b.stream.id, b.head),
  ]);
  const keys = [...new Set([...Object.keys(valuesA), ...Object.keys(valuesB)])];
  const most = Math.max(turnsA.length, turnsB.length);
  const shown = Math.min(most, input.limit);
  return {
    common: common && { session_id: common.session_id, seq: common.seq },
    a: sideA,
    b: sideB,
    metadata: keys
      .filter((key) => !deepEqual(valuesA[key], valuesB[key]))
      .map((key) => ({ key, a: shortenValue(valuesA[key]), b: shortenValue(valuesB[key]) })),
    turns: Array.from({ length: shown }, (_, n) => ({
      a: turnsA[n] ?? null,
      b: turnsB[n] ?? null,
    })),
    next_cursor: most > shown ? input.after + shown : null,
  };
}

async function readSide(
  store: StreamStore,
  { stream, head }: FoundSession,
  after: number,
  start: SessionHead | null,
): Promise<ComparedSide> {
  const names = async (kind: string, name: (data: StoredRow["data"]) => string) =>
    (await readRows(store, stream.id, { kind, after, limit: NAMED }))
      .slice(0, NAMED)
      .map(({ data }) => name(data));
  return {
    session_id: head.session_id,
    entity_id: head.entity_id,
    agent_name: head.agent_name,
    title: head.title,
    status: head.status,
    version: stream.seq,
    summary: head.ended?.summary ?? null,
    turns: head.counts.turns - (start?.counts.turns ?? 0),
    actions: head.counts.actions - (start?.counts.actions ?? 0),
    checkpoints: await names("checkpoint", ({ name }) => String(name)),
    artifacts: await names("artifact", ({ name }) => String(name)),
    outcomes: await names("outcome", nameOutcome),
    usage: head.usage,
  };
}

/** The turns of a page, and one more if there are more. */
async function readTurns(
  store: StreamStore,
  { stream: { id } }: FoundSession,
  base: number,
  { after, limit }: Parsed<"compare">,
): Promise<ComparedTurn[]> {
  const page = await readPage(store, id, base, after, limit + 1);
  const last = page.at(-1);
  if (!last) return [];
  const { turns } = await readConversation(store, id, {
    before: last.place + 1,
    limit: page.length,
  });
  const first = page[0]?.place ?? 0;
  const calls = await readRows(store, id, {
    kind: "action",
    after: first,
    limit: page.length * CALLS,
  });
  return turns.map((turn) => compareTurn(turn, calls));
}

/** Rows of turns behind so many of them. Those before are read in parts and passed over, so that few are held at once. */
async function readPage(
  store: StreamStore,
  id: string,
  base: number,
  skip: number,
  limit: number,
): Promise<StoredRow[]> {
  const page: StoredRow[] = [];
  let left = skip;
  for (let after = base; page.length < limit; ) {
    const wanted = Math.min(PASSED, left + limit - page.length);
    const query = { kind: "turn", after, limit: wanted, bytes: LIMITS.PAGE_BYTES };
    const rows = await readRows(store, id, query);
    const last = rows.at(-1);
    if (!last) break;
    page.push(...rows.slice(left, left + limit - page.length));
    left = Math.max(0, left - rows.length);
    after = last.place;
  }
  return page;
}

const PASSED = 500;

function compareTurn(turn: Turn, calls: readonly StoredRow[]): ComparedTurn {
  const { turn_id, status, started_at, ended_at, seq } = turn;
  return {
    turn_id,
    status,
    input: shortenText(turn.input, SHOWN_CHARS),
    output: shortenText(turn.output, SHOWN_CHARS),
    seconds: ended_at === null ? null : (Date.parse(ended_at) - Date.parse(started_at)) / 1000,
    tool_calls: calls.filter(({ data }) => data.turn_id === turn_id).map(nameCall),
    seq,
  };
}

function nameCall({ data }: StoredRow): string {
  const title = isRecord(data.details) ? data.details.title : null;
  return typeof title === "string" ? title : String(data.type);
}

function shortenValue(value: unknown): unknown {
  const text = JSON.stringify(value) ?? "";
  return text.length <= VALUE_CHARS ? value : shortenText(text, VALUE_CHARS);
}
