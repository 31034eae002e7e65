import { isRecord } from "../src/contract/is-record.ts";
import { Anchor } from "../src/store/log/anchor.ts";
import { hashEvent, metaOf } from "../src/store/log/hash-event.ts";
import { Connection } from "../src/store/sqlite/database/connection.ts";
import { dataFolder } from "../src/store/sqlite/database/data-folder.ts";
import { insertEvent, readEvents } from "../src/store/sqlite/database/event-log.ts";
import { KeptHead } from "../src/store/sqlite/database/kept-head.ts";
import { openDatabase } from "../src/store/sqlite/database/open-database.ts";
import { lastPosition } from "../src/store/sqlite/database/positions.ts";
import {
  findStreamRow,
  type StreamRow,
  updateStreamRow,
} from "../src/store/sqlite/database/stream-row.ts";
import { belay } from "./belay.ts";
import { type Contender, type OpenContender, resumedTurns } from "./contender.ts";
import { type Entrant, type Lab, withEntrants } from "./lab.ts";

/**
 * The floor of Belay's format: it writes and reads the same rows with the same hashes and checksums, but without rules,
 * schemas, decisions and promises. What is not measured goes through Belay.
 */
export const storedFormat: Contender = { name: "the stored format alone", open };

/** The limit in the rounds of the format. */
export const BESIDE_FORMAT = "raw SQLite, beside the format";

/**
 * Measures the contenders, and then the format against the limit, in rounds of their own: the format calls some functions
 * of Belay in other ways, after which the engine would have to optimize them again.
 */
export async function withFormat(
  lab: Lab,
  use: (entrants: readonly Entrant[]) => Promise<void>,
): Promise<void> {
  await withEntrants(lab, lab.contenders, use);
  const [limit] = lab.contenders;
  if (limit) await withEntrants(lab, [{ ...limit, name: BESIDE_FORMAT }, storedFormat], use);
}

async function open(folder: string): Promise<OpenContender> {
  const { appendKeyed: _, ...whole } = await belay.open(folder);
  const files = dataFolder(folder);
  const db = new Connection(() => openDatabase(files, { readOnly: false, synchronous: "FULL" }));
  const anchor = new Anchor(files.anchor);
  const rows = new Map<string, StreamRow>();
  /** The seq of each session when it was first written to. */
  const found = new Map<string, number>();
  let position = 0;

  function find(key: string): StreamRow {
    const row = findStreamRow(db, { kind: "session", owner: "local", key });
    if (!row) throw new Error(`no session ${key}`);
    return row;
  }

  function write(sessions: readonly string[], text: string): void {
    db.run("BEGIN IMMEDIATE");
    if (rows.size === 0) position = lastPosition(db);
    for (const session of sessions) {
      const row = rows.get(session) ?? find(session);
      if (!rows.has(session)) found.set(row.id, row.seq);
      rows.set(session, insertTurn(row, text));
    }
    const written = [...new Set(sessions)].flatMap((session) => rows.get(session) ?? []);
    for (const row of written) {
      const head = KeptHead.stored(headOf(row, found.get(row.id) ?? 0), row.id);
      updateStreamRow(db, { ...row, head }, row.listing);
    }
    db.run("COMMIT");
    anchor.write(written);
  }

  function insertTurn(row: StreamRow, text: string): StreamRow {
    const seq = row.seq + 1;
    const body = JSON.stringify({ turn_id: TURN, input: "", output: text, usage: null });
    const event = {
      ...{ seq, type: "turn.recorded", at: Date.now(), actor: "bench", interface: "library" },
      ...{ trace_id: TURN, data: null, row: { kind: "turn", key: null } },
    };
    const opened = row.opened.get("turn") ?? 0;
    const meta = { ...metaOf(event, undefined, 1), opened };
    const hash = hashEvent(row.hash, row.id, meta, body);
    position += 1;
    insertEvent(db, position, row.sid, row.id, meta, hash, body);
    return { ...row, seq, hash, opened: new Map([["turn", seq]]) };
  }

  return {
    ...whole,
    appendTurn: async (session, text) => write([session], text),
    appendConcurrently: async (callers, turnsEach, text) => {
      for (let turn = 0; turn < turnsEach; turn++) write(callers, text);
    },
    resume: async (session) => {
      const row = find(session);
      const turns = readEvents(db, row, Math.max(1, row.seq - resumedTurns + 1), row.seq);
      const { head } = row;
      return { turnCount: turnsIn(head.value), turns: turns.map(({ data }) => outputOf(data)) };
    },
    close: async () => {
      anchor.close();
      db.close();
      await whole.close();
    },
  };
}

const TURN = "0af7651916cd43dd8448eb211c80319c";

/** The head as it was found, with one more turn for each event since. */
function headOf({ head: { value }, seq }: StreamRow, found: number): string {
  const counts = isRecord(value) && isRecord(value.counts) ? value.counts : {};
  const turns = Number(counts.turns) + seq - found;
  return JSON.stringify({ ...(isRecord(value) && value), counts: { ...counts, turns } });
}

function turnsIn(head: unknown): number {
  const counts = isRecord(head) && isRecord(head.counts) ? head.counts : {};
  return Number(counts.turns);
}

function outputOf(data: unknown): string {
  return isRecord(data) && typeof data.output === "string" ? data.output : "";
}
