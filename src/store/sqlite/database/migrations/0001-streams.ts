/**
 * Streams, their events, and their indexes. `sid` stands for a stream's id inside the database and
 * is never reused after a purge, because forks point to it. `sum` covers all columns of its row.
 * Small columns come first, so that reading a hash or a number does not read through a body.
 */
export const streams = `
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
  head TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX streams_by_id ON streams (id);
CREATE UNIQUE INDEX streams_by_key ON streams (kind, owner, key);
CREATE INDEX streams_by_activity ON streams (kind, owner, activity);
CREATE INDEX streams_by_status ON streams (kind, owner, status, activity);
CREATE INDEX streams_by_agent ON streams (kind, owner, agent, status, activity);
CREATE INDEX streams_by_task ON streams (kind, owner, task, activity);
CREATE INDEX streams_by_parent ON streams (json_extract(lineage, '$[#-1][0]'), json_extract(lineage, '$[#-1][1]'))
  WHERE lineage IS NOT NULL;
CREATE INDEX streams_waiting ON streams (kind, owner, activity) WHERE waiting > 0;

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
  body TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX events_by_seq ON events (sid, seq);
CREATE UNIQUE INDEX events_by_idem ON events (idem) WHERE idem IS NOT NULL AND origin IS NULL;

CREATE TABLE rows (
  sid INTEGER NOT NULL,
  kind TEXT NOT NULL,
  place INTEGER NOT NULL,
  nth INTEGER NOT NULL,
  seq INTEGER NOT NULL,
  key TEXT,
  sum BLOB NOT NULL,
  data TEXT NOT NULL,
  PRIMARY KEY (sid, kind, place, nth, seq)
) STRICT, WITHOUT ROWID;
CREATE INDEX rows_by_key ON rows (sid, kind, key) WHERE key IS NOT NULL;

CREATE TABLE heads (
  sid INTEGER NOT NULL,
  seq INTEGER NOT NULL,
  sum BLOB NOT NULL,
  head TEXT NOT NULL,
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

CREATE TABLE meta (
  name TEXT PRIMARY KEY,
  value INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO meta (name, value) VALUES ('position_floor', 0);

CREATE TRIGGER positions_are_never_used_again AFTER DELETE ON events BEGIN
  UPDATE meta SET value = max(value, OLD.pos) WHERE name = 'position_floor';
END;
`;
