import { join } from "node:path";
import { DatabaseSync, type SQLOutputValue } from "node:sqlite";
import { type Contender, type OpenContender, resumedTurns, sessionStatuses } from "./contender.ts";
import { folderBytes } from "./folder-bytes.ts";
import { filler } from "./turn-text.ts";

/**
 * The limit: SQLite with nothing on top. No hashing, no domain, no check of reads; a stored hash is 32 constant bytes,
 * and sessions are found through a Map instead of an index.
 */
export const rawSqlite: Contender = { name: "raw SQLite", open: async (folder) => open(folder) };

const schema = `
  CREATE TABLE IF NOT EXISTS streams (
    id INTEGER PRIMARY KEY, session TEXT NOT NULL UNIQUE, agent TEXT NOT NULL,
    status TEXT NOT NULL, seq INTEGER NOT NULL, head TEXT NOT NULL
  );
  CREATE TABLE IF NOT EXISTS events (
    pos INTEGER PRIMARY KEY, stream INTEGER NOT NULL, seq INTEGER NOT NULL, type TEXT NOT NULL,
    at INTEGER NOT NULL, meta TEXT NOT NULL, body TEXT NOT NULL, hash BLOB NOT NULL, key TEXT,
    UNIQUE (stream, seq)
  );
  CREATE UNIQUE INDEX IF NOT EXISTS events_by_key ON events (key) WHERE key IS NOT NULL;
`;
// On id and not on a time of update, so that a raw append has no list index to maintain.
const listIndex = "CREATE INDEX IF NOT EXISTS streams_newest ON streams (status, agent, id DESC)";

const seedBatch = 20_000;
const hash = new Uint8Array(32).fill(7);
const meta = '{"actor":"agent","interface":"cli","trace_id":"0af7651916cd43dd8448eb211c80319c"}';
const headFiller = filler(1900);

interface Stream {
  readonly id: number;
  seq: number;
}

function open(folder: string): OpenContender {
  const db = new DatabaseSync(join(folder, "raw.db"));
  // The default cache of 2 MB is 125 pages of 16 KB, and triples the time of a list.
  db.exec("PRAGMA page_size = 16384; PRAGMA journal_mode = WAL; PRAGMA cache_size = -65536");
  db.exec(`PRAGMA synchronous = FULL; ${schema} ${listIndex}`);

  const begin = db.prepare("BEGIN IMMEDIATE");
  const commit = db.prepare("COMMIT");
  const insertStream = db.prepare(
    "INSERT INTO streams (session, agent, status, seq, head) VALUES (?, ?, ?, ?, ?)",
  );
  const insertEvent = db.prepare(
    "INSERT INTO events (stream, seq, type, at, meta, body, hash, key) VALUES (?, ?, 'turn', ?, ?, ?, ?, ?)",
  );
  const findKey = db.prepare("SELECT pos FROM events WHERE key = ?");
  const updateHead = db.prepare("UPDATE streams SET seq = ?, head = ? WHERE id = ?");
  const readHead = db.prepare("SELECT seq, head FROM streams WHERE id = ?");
  // With a bare parameter as the limit, SQLite would compile these queries anew at each call.
  const readTail = db.prepare(
    "SELECT seq, type, at, meta, body, hash FROM events WHERE stream = ? ORDER BY seq DESC LIMIT ? + 0",
  );
  const listNewest = db.prepare(
    "SELECT session, agent, status, seq, head FROM streams WHERE status = ? AND agent = ? ORDER BY id DESC LIMIT ? + 0",
  );
  const copyEvents = db.prepare(
    `INSERT INTO events (stream, seq, type, at, meta, body, hash)
     SELECT ?, seq, type, at, meta, body, hash FROM events WHERE stream = ? AND seq <= ? ORDER BY seq`,
  );

  const streams = new Map<string, Stream>();

  function stream(session: string): Stream {
    const known = streams.get(session) ?? find(session);
    streams.set(session, known);
    return known;
  }

  /** For a store that another process has filled. */
  function find(session: string): Stream {
    const row = db.prepare("SELECT id, seq FROM streams WHERE session = ?").get(session);
    if (!row) throw new Error(`no session ${session}`);
    return { id: Number(row.id), seq: Number(row.seq) };
  }

  function transact(work: () => void): void {
    begin.run();
    work();
    commit.run();
  }

  function create(session: string, agent: string, status: string, seq: number): Stream {
    const { lastInsertRowid } = insertStream.run(session, agent, status, seq, head(seq));
    return { id: Number(lastInsertRowid), seq };
  }

  function insertTurn(into: Stream, text: string, key: string | null = null): void {
    into.seq += 1;
    insertEvent.run(into.id, into.seq, Date.now(), meta, JSON.stringify({ text }), hash, key);
  }

  function writeHead(of: Stream): void {
    updateHead.run(of.seq, head(of.seq), of.id);
  }

  function seed(work: () => void): void {
    db.exec("PRAGMA synchronous = OFF");
    work();
    db.exec("PRAGMA synchronous = FULL; PRAGMA wal_checkpoint(TRUNCATE)");
  }

  return {
    async createSession(session, agent) {
      transact(() => streams.set(session, create(session, agent, "active", 0)));
    },

    async appendTurn(session, text) {
      const into = stream(session);
      transact(() => {
        insertTurn(into, text);
        writeHead(into);
      });
    },

    async appendKeyed(session, text, key) {
      const into = stream(session);
      transact(() => {
        if (findKey.get(key)) return;
        insertTurn(into, text, key);
        writeHead(into);
      });
    },

    async appendConcurrently(callers, turnsEach, text) {
      const targets = callers.map(stream);
      const touched = new Set(targets);
      for (let turn = 0; turn < turnsEach; turn++) {
        transact(() => {
          for (const into of targets) insertTurn(into, text);
          for (const of of touched) writeHead(of);
        });
      }
    },

    async resume(session) {
      const { id } = stream(session);
      const row = readHead.get(id);
      // Parsed, because nobody can continue a session from unparsed JSON.
      JSON.parse(text(row?.head));
      const turns = readTail.all(id, resumedTurns).map(({ body }) => turnOf(text(body)));
      return { turnCount: Number(row?.seq), turns: turns.reverse() };
    },

    async list({ status, agent, limit }) {
      return listNewest.all(status, agent, limit).map((row) => ({
        session: text(row.session),
        agent: text(row.agent),
        status: sessionStatuses.find((known) => known === row.status) ?? "created",
      }));
    },

    async fork(parent, child, atTurn) {
      const from = stream(parent);
      const seq = atTurn ?? from.seq;
      transact(() => {
        const copy = create(child, "fork", "active", seq);
        copyEvents.run(copy.id, from.id, seq);
        streams.set(child, copy);
      });
    },

    async seedSessions(sessions) {
      seed(() => {
        db.exec("DROP INDEX streams_newest");
        for (const batch of batches(sessions)) {
          transact(() => {
            for (const { session, agent, status } of batch) create(session, agent, status, 0);
          });
        }
        db.exec(listIndex);
      });
    },

    async seedTurns(session, texts) {
      const into = stream(session);
      seed(() => {
        for (const batch of batches(texts)) {
          transact(() => {
            for (const text of batch) insertTurn(into, text);
            writeHead(into);
          });
        }
      });
    },

    async diskBytes() {
      db.exec("PRAGMA wal_checkpoint(TRUNCATE)");
      return folderBytes(folder);
    },

    async close() {
      db.close();
    },
  };
}

function head(seq: number): string {
  return `{"version":1,"seq":${seq},"status":"active","recent":"${headFiller}"}`;
}

function* batches<Item>(items: Iterable<Item>): Generator<Item[]> {
  let batch: Item[] = [];
  for (const item of items) {
    batch.push(item);
    if (batch.length === seedBatch) {
      yield batch;
      batch = [];
    }
  }
  if (batch.length > 0) yield batch;
}

function text(value: SQLOutputValue | undefined): string {
  if (typeof value !== "string") throw new TypeError("expected a text column");
  return value;
}

function turnOf(body: string): string {
  const parsed: { text: string } = JSON.parse(body);
  return parsed.text;
}
