import type { Connection } from "./database/connection.ts";

export interface Schema {
  /** The number of these tables in the file. An older number than this is refused. */
  readonly version: number;
  readonly sql: string;
  /** The n-th leads from number `version + n` to the next. */
  readonly migrations: readonly ((db: Connection) => void)[];
}

/**
 * The tables. Until the first release, the number changes with them; after it, migrations lead to later numbers.
 *
 * - `sid` stands for a stream's id inside the database and is never reused after a purge, because forks point to it.
 * - `sum` covers all columns of its row. `crc` covers those that lists show and, of an event, all: so a list need not read
 *   the others, and a reader needs no previous event.
 * - Small columns come first, so that reading a hash or a number does not read through a body.
 * - An event may open an index row itself: its body is the first patch, and the row has no entry in `rows`. The event
 *   stores the kind (`opens`), the key, and the previous event that opened a row of that kind (`opened`, 0 for none).
 */
export const SCHEMA: Schema = {
  version: 8,
  sql: `
CREATE TABLE meta (
  name TEXT PRIMARY KEY,
  value INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO meta (name, value) VALUES ('position_floor', 0);

CREATE TABLE streams (
  sid INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL,
  kind TEXT NOT NULL,
  owner TEXT NOT NULL,
  key TEXT NOT NULL,
  seq INTEGER NOT NULL,
  hash BLOB NOT NULL,
  lineage TEXT,
  epoch INTEGER NOT NULL,
  holder TEXT,
  status TEXT NOT NULL,
  phase TEXT NOT NULL,
  agent TEXT NOT NULL,
  interface TEXT NOT NULL,
  project TEXT NOT NULL,
  task TEXT NOT NULL,
  waiting INTEGER NOT NULL,
  created INTEGER NOT NULL,
  activity INTEGER NOT NULL,
  sum BLOB NOT NULL,
  head TEXT NOT NULL,
  unsettled INTEGER NOT NULL DEFAULT 1,
  pinned INTEGER NOT NULL DEFAULT 0,
  bytes BLOB,
  opened TEXT,
  crc INTEGER
) STRICT;
CREATE INDEX streams_by_activity ON streams (kind, owner, activity);
CREATE INDEX streams_by_agent ON streams (kind, owner, agent, status, activity);
CREATE UNIQUE INDEX streams_by_id ON streams (id);
CREATE UNIQUE INDEX streams_by_key ON streams (kind, owner, key);
CREATE INDEX streams_by_parent ON streams (json_extract(lineage, '$[#-1][0]'), json_extract(lineage, '$[#-1][1]'))
  WHERE lineage IS NOT NULL;
CREATE INDEX streams_by_status ON streams (kind, owner, status, activity);
CREATE INDEX streams_by_task ON streams (kind, owner, task, activity);
CREATE INDEX streams_pinned ON streams (kind, owner, status, activity) WHERE pinned = 1;
CREATE INDEX streams_unsettled ON streams (kind, owner, status, activity) WHERE unsettled = 1;
CREATE INDEX streams_waiting ON streams (kind, owner, activity) WHERE waiting > 0;

CREATE TRIGGER old_crcs_are_removed AFTER UPDATE OF sum ON streams WHEN NEW.crc = OLD.crc BEGIN
  UPDATE streams SET crc = NULL WHERE sid = NEW.sid;
END;

CREATE TABLE events (
  pos INTEGER PRIMARY KEY,
  sid INTEGER NOT NULL,
  seq INTEGER NOT NULL,
  type TEXT NOT NULL,
  at INTEGER NOT NULL,
  actor TEXT NOT NULL,
  interface TEXT NOT NULL,
  trace_id ANY,
  hash BLOB NOT NULL,
  idem TEXT,
  digest ANY,
  span INTEGER,
  origin TEXT,
  body TEXT NOT NULL,
  bytes BLOB,
  opens TEXT,
  row_key TEXT,
  opened INTEGER,
  crc INTEGER
) STRICT;
CREATE UNIQUE INDEX events_by_idem ON events (idem) WHERE idem IS NOT NULL AND origin IS NULL;
CREATE INDEX events_by_row_key ON events (sid, opens, row_key) WHERE row_key IS NOT NULL;
CREATE INDEX events_by_seq ON events (sid, seq, (opens IS NOT NULL));

CREATE TRIGGER positions_are_never_used_again AFTER DELETE ON events BEGIN
  UPDATE meta SET value = max(value, OLD.pos) WHERE name = 'position_floor';
END;

CREATE TABLE rows (
  sid INTEGER NOT NULL,
  kind TEXT NOT NULL,
  place INTEGER NOT NULL,
  nth INTEGER NOT NULL,
  seq INTEGER NOT NULL,
  key TEXT,
  sum BLOB NOT NULL,
  data TEXT NOT NULL,
  bytes BLOB,
  PRIMARY KEY (sid, kind, place, nth, seq)
) STRICT, WITHOUT ROWID;
CREATE INDEX rows_by_key ON rows (sid, kind, key) WHERE key IS NOT NULL;

CREATE TABLE heads (
  sid INTEGER NOT NULL,
  seq INTEGER NOT NULL,
  sum BLOB NOT NULL,
  head TEXT NOT NULL,
  bytes BLOB,
  PRIMARY KEY (sid, seq)
) STRICT, WITHOUT ROWID;

CREATE TABLE names (
  owner TEXT NOT NULL,
  name TEXT NOT NULL,
  pos INTEGER NOT NULL,
  sid INTEGER NOT NULL,
  seq INTEGER NOT NULL,
  sum BLOB NOT NULL,
  PRIMARY KEY (owner, name, pos)
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX names_by_stream ON names (sid, name);

CREATE TABLE tombstones (
  id TEXT PRIMARY KEY,
  seq INTEGER NOT NULL,
  hash BLOB NOT NULL,
  at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE blobs (
  bid INTEGER PRIMARY KEY AUTOINCREMENT,
  digest BLOB,
  size INTEGER NOT NULL,
  renewed INTEGER
) STRICT;
CREATE UNIQUE INDEX blobs_by_digest ON blobs (digest) WHERE digest IS NOT NULL;

CREATE TABLE blob_chunks (
  bid INTEGER NOT NULL,
  nth INTEGER NOT NULL,
  packed INTEGER NOT NULL,
  sum BLOB NOT NULL,
  bytes BLOB NOT NULL
) STRICT;
CREATE UNIQUE INDEX blob_chunks_by_place ON blob_chunks (bid, nth);

CREATE TABLE blob_holders (
  sid INTEGER NOT NULL,
  bid INTEGER NOT NULL,
  seq INTEGER NOT NULL,
  PRIMARY KEY (sid, bid)
) STRICT, WITHOUT ROWID;
CREATE INDEX blob_holders_by_blob ON blob_holders (bid);

-- Views for programs that read the database directly. Nothing is stored twice.
CREATE VIEW audit AS SELECT events.pos AS id,
  strftime('%Y-%m-%dT%H:%M:%fZ', events.at / 1000.0, 'unixepoch') AS timestamp,
  streams.owner, streams.kind, streams.key, streams.id AS entity_id, events.seq, events.type AS event,
  events.actor, events.interface, events.trace_id, events.body AS details
  FROM events JOIN streams USING (sid);

CREATE VIEW backlog AS SELECT key AS id, owner,
  json_extract(head, '$.title') AS title, json_extract(head, '$.status') AS status,
  json_extract(head, '$.priority') AS priority, json_extract(head, '$.est_hours') AS est_hours,
  json_extract(head, '$.added_at') AS added_at
  FROM streams WHERE kind = 'task' AND json_valid(head);
`,
  migrations: [],
};
