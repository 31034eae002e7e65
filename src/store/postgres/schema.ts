import { FUNCTIONS } from "./functions.ts";

export interface KnownSchema {
  /** The number of these tables. An older number than this is refused. */
  readonly version: number;
  readonly sql: string;
  /** The n-th leads from number `version + n` to the next. */
  readonly migrations: readonly Migration[];
}

interface Migration {
  readonly sql: string;
  /**
   * True if a node that does not know this migration cannot work with the tables any more. Within a minor version
   * migrations only add, so this is false.
   */
  readonly isRequired: boolean;
}

/**
 * The tables. Until the first release, the number changes with them; after it, migrations lead to later numbers. Everything
 * except `streams` and the tables of blobs has the stream in its primary key, so that hash partitions by stream need no
 * other layout.
 */
export const SCHEMA: KnownSchema = {
  version: 10,
  sql: `
CREATE TABLE belay.meta (
  one boolean PRIMARY KEY DEFAULT true CHECK (one),
  version integer NOT NULL,
  era integer NOT NULL,
  cluster text NOT NULL,
  timeline integer NOT NULL,
  -- For messages between nodes that others carry. The random numbers are cryptographically strong.
  secret bytea NOT NULL DEFAULT decode(replace(gen_random_uuid()::text || gen_random_uuid()::text, '-', ''), 'hex'),
  -- The version that a node must know at least to work with these tables.
  required integer NOT NULL
);

CREATE SEQUENCE belay.sids INCREMENT BY 64;

CREATE TABLE belay.streams (
  sid bigint PRIMARY KEY,
  id text COLLATE "C" NOT NULL,
  kind text COLLATE "C" NOT NULL,
  owner text COLLATE "C" NOT NULL,
  key text COLLATE "C" NOT NULL,
  seq bigint NOT NULL,
  hash bytea NOT NULL,
  lineage text,
  parent bigint,
  parent_upto bigint,
  epoch bigint NOT NULL DEFAULT 0,
  holder text,
  renewed double precision,
  status text COLLATE "C" NOT NULL,
  phase text COLLATE "C" NOT NULL,
  agent text COLLATE "C" NOT NULL,
  interface text COLLATE "C" NOT NULL,
  project text COLLATE "C" NOT NULL,
  task text COLLATE "C" NOT NULL,
  waiting double precision NOT NULL,
  unsettled smallint NOT NULL,
  pinned smallint NOT NULL,
  created double precision NOT NULL,
  activity double precision NOT NULL,
  head text,
  bytes bytea
) WITH (fillfactor = 70, toast_tuple_target = 8160);
ALTER TABLE belay.streams ALTER head SET STORAGE EXTERNAL, ALTER bytes SET STORAGE EXTERNAL;
CREATE UNIQUE INDEX streams_by_id ON belay.streams (id);
CREATE UNIQUE INDEX streams_by_key ON belay.streams (kind, owner, key);
CREATE INDEX streams_by_activity ON belay.streams (kind, owner, activity, sid);
CREATE INDEX streams_by_kind ON belay.streams (kind, activity, sid);
CREATE INDEX streams_by_status ON belay.streams (kind, owner, status, activity, sid);
CREATE INDEX streams_by_agent ON belay.streams (kind, owner, agent, status, activity, sid);
CREATE INDEX streams_by_task ON belay.streams (kind, owner, task, activity, sid) WHERE task <> '';
CREATE INDEX streams_pinned ON belay.streams (kind, owner, activity, sid) WHERE pinned = 1;
CREATE INDEX streams_unsettled ON belay.streams (kind, owner, activity, sid) WHERE unsettled = 1;
CREATE INDEX streams_waiting ON belay.streams (kind, owner, activity, sid) WHERE waiting > 0;
CREATE INDEX streams_by_parent ON belay.streams (parent, parent_upto) WHERE parent IS NOT NULL;

CREATE TABLE belay.events (
  sid bigint NOT NULL,
  seq bigint NOT NULL,
  era integer NOT NULL,
  xid xid8 NOT NULL DEFAULT pg_current_xact_id(),
  pos integer NOT NULL,
  type text NOT NULL,
  at double precision NOT NULL,
  actor text NOT NULL,
  interface text NOT NULL,
  trace_id text,
  hash bytea NOT NULL,
  idem text,
  digest text,
  span integer,
  origin text,
  opens text COLLATE "C",
  row_key text COLLATE "C",
  body text,
  bytes bytea,
  PRIMARY KEY (sid, seq)
) WITH (toast_tuple_target = 8160);
ALTER TABLE belay.events ALTER body SET STORAGE EXTERNAL, ALTER bytes SET STORAGE EXTERNAL;
CREATE INDEX events_by_place ON belay.events (era, xid, pos) WHERE origin IS NULL;
CREATE INDEX events_by_row ON belay.events (sid, opens, seq) WHERE opens IS NOT NULL;
CREATE INDEX events_by_row_key ON belay.events (sid, opens, row_key) WHERE row_key IS NOT NULL;

CREATE TABLE belay.rows (
  sid bigint NOT NULL,
  kind text COLLATE "C" NOT NULL,
  place bigint NOT NULL,
  nth integer NOT NULL,
  seq bigint NOT NULL,
  key text COLLATE "C",
  data text,
  bytes bytea,
  PRIMARY KEY (sid, kind, place, nth, seq)
) WITH (toast_tuple_target = 8160);
ALTER TABLE belay.rows ALTER data SET STORAGE EXTERNAL, ALTER bytes SET STORAGE EXTERNAL;
CREATE INDEX rows_by_key ON belay.rows (sid, kind, key) WHERE key IS NOT NULL;

CREATE TABLE belay.heads (
  sid bigint NOT NULL,
  seq bigint NOT NULL,
  head text,
  bytes bytea,
  PRIMARY KEY (sid, seq)
);

CREATE TABLE belay.names (
  sid bigint NOT NULL,
  name text COLLATE "C" NOT NULL,
  owner text COLLATE "C" NOT NULL,
  era integer NOT NULL,
  xid xid8 NOT NULL DEFAULT pg_current_xact_id(),
  pos integer NOT NULL,
  seq bigint NOT NULL,
  PRIMARY KEY (sid, name)
);
CREATE INDEX names_by_name ON belay.names (owner, name, era, xid, pos);

CREATE TABLE belay.keys (
  idem bytea PRIMARY KEY,
  sid bigint NOT NULL,
  seq bigint NOT NULL
);
CREATE INDEX keys_by_stream ON belay.keys (sid);

CREATE TABLE belay.tombstones (
  id text COLLATE "C" PRIMARY KEY,
  seq bigint NOT NULL,
  hash bytea NOT NULL,
  at double precision NOT NULL
);

CREATE TABLE belay.blobs (
  bid bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  digest bytea,
  size bigint NOT NULL DEFAULT 0,
  renewed timestamptz DEFAULT clock_timestamp()
);
CREATE UNIQUE INDEX blobs_by_digest ON belay.blobs (digest) WHERE digest IS NOT NULL;
CREATE INDEX blobs_arriving ON belay.blobs (renewed) WHERE digest IS NULL;

CREATE TABLE belay.blob_chunks (
  bid bigint NOT NULL,
  nth integer NOT NULL,
  bytes bytea NOT NULL,
  sum bytea NOT NULL,
  PRIMARY KEY (bid, nth)
);

CREATE TABLE belay.blob_holders (
  sid bigint NOT NULL,
  bid bigint NOT NULL,
  seq bigint NOT NULL,
  PRIMARY KEY (sid, bid)
);
CREATE INDEX blob_holders_by_blob ON belay.blob_holders (bid);

-- Values that expire. They are not logged: after a crash of the database they are gone, and logins under way start again.
CREATE UNLOGGED TABLE belay.expiring (
  kind text COLLATE "C" NOT NULL,
  key text COLLATE "C" NOT NULL,
  value text NOT NULL,
  until double precision NOT NULL,
  nr bigint GENERATED ALWAYS AS IDENTITY,
  PRIMARY KEY (kind, key)
);
CREATE INDEX expiring_by_age ON belay.expiring (kind, until, nr);

-- The registrations of nodes, and leases that belong to a registration.
CREATE SEQUENCE belay.node_epochs;

CREATE TABLE belay.nodes (
  id text COLLATE "C" PRIMARY KEY,
  epoch bigint NOT NULL,
  name text NOT NULL,
  holder text NOT NULL,
  place text NOT NULL,
  room integer NOT NULL,
  ttl double precision NOT NULL,
  renewed double precision NOT NULL
);

-- Streams that a node is asked to drive. If a row is lost, the next sweep finds the stream.
CREATE TABLE belay.calls (
  node text COLLATE "C" NOT NULL,
  stream text COLLATE "C" NOT NULL,
  PRIMARY KEY (node, stream)
);

${FUNCTIONS}`,
  migrations: [],
};
