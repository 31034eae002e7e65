import { query } from "../../postgres/scene-databases.ts";
import { recordOf } from "../../serve/server-process.ts";

/** A message that a node has acknowledged. */
export interface Acknowledged {
  readonly entity_id: string;
  /** Null if the node did not say which turn answers it; then it must be stored, but need not be answered. */
  readonly turn_id: string | null;
  readonly content: string;
}

export interface LoggedEvent {
  readonly entity_id: string;
  /** The id of the session as people see it. */
  readonly key: string;
  readonly seq: number;
  readonly type: string;
  readonly data: Readonly<Record<string, unknown>>;
}

interface Finding {
  readonly kind: "lost" | "doubled" | "gap" | "unended" | "stale";
  readonly entity_id: string;
  readonly what: string;
}

/** All events of all sessions, as the database has them. */
export async function readHistory(url: string): Promise<LoggedEvent[]> {
  const { rows } = await query(url, ALL);
  return rows.map(({ id, key, seq, type, body }) => ({
    entity_id: `${id}`,
    key: `${key}`,
    seq: Number(seq),
    type: `${type}`,
    // What is compressed is large, and nothing that is judged is.
    data: body === null ? {} : recordOf(JSON.parse(body)),
  }));
}

const ALL = `SELECT s.id, s.key, e.seq, e.type, e.body FROM belay.events e JOIN belay.streams s ON s.sid = e.sid
  WHERE s.kind = 'session' ORDER BY s.sid, e.seq`;

/**
 * What a history must not show: an acknowledged message that is missing or there twice, a gap, a turn without an end, and
 * anything that a driver wrote after its session had passed to another.
 */
export function judgeHistory(
  acknowledged: readonly Acknowledged[],
  events: readonly LoggedEvent[],
): Finding[] {
  const bySession = Map.groupBy(events, ({ entity_id }) => entity_id);
  const findings = [...bySession.values()].flatMap((log) => judgeLog(log));
  for (const { entity_id, turn_id, content } of acknowledged) {
    const log = bySession.get(entity_id) ?? [];
    const found = log.filter(
      ({ type, data }) => type === "message.queued" && data.content === content,
    );
    const ends = log.filter(({ type, data }) => type === "turn.ended" && data.turn_id === turn_id);
    const note = (kind: Finding["kind"]) => findings.push({ kind, entity_id, what: content });
    if (!found.some(({ data }) => turn_id === null || data.turn_id === turn_id)) note("lost");
    if (found.length > 1) note("doubled");
    if (turn_id === null) continue;
    if (ends.length === 0) note("unended");
    if (ends.length > 1) note("doubled");
  }
  return findings;
}

function judgeLog(log: readonly LoggedEvent[]): Finding[] {
  const findings: Finding[] = [];
  const ended = new Set<unknown>();
  let epoch = 0;
  for (const [index, { entity_id, seq, type, data }] of log.entries()) {
    const note = (kind: Finding["kind"]) =>
      findings.push({ kind, entity_id, what: `${type} at ${seq}` });
    if (seq !== index + 1) note("gap");
    if (DRIVEN.has(type) && ended.has(data.turn_id)) note("stale");
    if (type === "turn.ended") ended.add(data.turn_id);
    if (type !== "agent.started") continue;
    if (Number(data.epoch) < epoch) note("stale");
    epoch = Math.max(epoch, Number(data.epoch));
  }
  return findings;
}

/** What only a driver writes, of a turn. */
const DRIVEN = new Set(["turn.started", "turn.part", "turn.ended"]);
