CREATE TABLE belay.blob_chunks (
  bid bigint NOT NULL,
  nth integer NOT NULL,
  bytes bytea NOT NULL,
  sum bytea
);

CREATE TABLE belay.blob_holders (
  sid bigint NOT NULL,
  bid bigint NOT NULL,
  seq bigint NOT NULL
);

CREATE TABLE belay.blobs (
  bid bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  digest bytea,
  size bigint NOT NULL DEFAULT 0,
  renewed timestamp with time zone DEFAULT clock_timestamp()
);

CREATE TABLE belay.calls (
  node text COLLATE "C" NOT NULL,
  stream text COLLATE "C" NOT NULL
);

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
  bytes bytea
) WITH (toast_tuple_target=8160);

CREATE TABLE belay.expiring (
  kind text COLLATE "C" NOT NULL,
  key text COLLATE "C" NOT NULL,
  value text NOT NULL,
  until double precision NOT NULL,
  nr bigint NOT NULL GENERATED ALWAYS AS IDENTITY
);

CREATE TABLE belay.heads (
  sid bigint NOT NULL,
  seq bigint NOT NULL,
  head text,
  bytes bytea
);

CREATE TABLE belay.keys (
  idem bytea NOT NULL,
  sid bigint NOT NULL,
  seq bigint NOT NULL
);

CREATE TABLE belay.meta (
  one boolean NOT NULL DEFAULT true,
  version integer NOT NULL,
  era integer NOT NULL,
  cluster text NOT NULL,
  timeline integer NOT NULL,
  secret bytea NOT NULL DEFAULT decode(replace(((gen_random_uuid())::text || (gen_random_uuid())::text), '-'::text, ''::text), 'hex'::text),
  required integer NOT NULL DEFAULT 2
);

CREATE TABLE belay.names (
  sid bigint NOT NULL,
  name text COLLATE "C" NOT NULL,
  owner text COLLATE "C" NOT NULL,
  era integer NOT NULL,
  xid xid8 NOT NULL DEFAULT pg_current_xact_id(),
  pos integer NOT NULL,
  seq bigint NOT NULL
);

CREATE TABLE belay.nodes (
  id text COLLATE "C" NOT NULL,
  epoch bigint NOT NULL,
  name text NOT NULL,
  holder text NOT NULL,
  place text NOT NULL,
  room integer NOT NULL,
  ttl double precision NOT NULL,
  renewed double precision NOT NULL
);

CREATE TABLE belay.rows (
  sid bigint NOT NULL,
  kind text COLLATE "C" NOT NULL,
  place bigint NOT NULL,
  nth integer NOT NULL,
  seq bigint NOT NULL,
  key text COLLATE "C",
  data text,
  bytes bytea
) WITH (toast_tuple_target=8160);

CREATE TABLE belay.streams (
  sid bigint NOT NULL,
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
) WITH (fillfactor=70, toast_tuple_target=8160);

CREATE TABLE belay.tombstones (
  id text COLLATE "C" NOT NULL,
  seq bigint NOT NULL,
  hash bytea NOT NULL,
  at double precision NOT NULL
);

CREATE UNIQUE INDEX blob_chunks_pkey ON belay.blob_chunks USING btree (bid, nth);

CREATE INDEX blob_holders_by_blob ON belay.blob_holders USING btree (bid);

CREATE UNIQUE INDEX blob_holders_pkey ON belay.blob_holders USING btree (sid, bid);

CREATE INDEX blobs_arriving ON belay.blobs USING btree (renewed) WHERE (digest IS NULL);

CREATE UNIQUE INDEX blobs_by_digest ON belay.blobs USING btree (digest) WHERE (digest IS NOT NULL);

CREATE UNIQUE INDEX blobs_pkey ON belay.blobs USING btree (bid);

CREATE UNIQUE INDEX calls_pkey ON belay.calls USING btree (node, stream);

CREATE INDEX events_by_place ON belay.events USING btree (era, xid, pos) WHERE (origin IS NULL);

CREATE INDEX events_by_row ON belay.events USING btree (sid, opens, seq) WHERE (opens IS NOT NULL);

CREATE INDEX events_by_row_key ON belay.events USING btree (sid, opens, row_key) WHERE (row_key IS NOT NULL);

CREATE UNIQUE INDEX events_pkey ON belay.events USING btree (sid, seq);

CREATE INDEX expiring_by_age ON belay.expiring USING btree (kind, until, nr);

CREATE UNIQUE INDEX expiring_pkey ON belay.expiring USING btree (kind, key);

CREATE UNIQUE INDEX heads_pkey ON belay.heads USING btree (sid, seq);

CREATE INDEX keys_by_stream ON belay.keys USING btree (sid);

CREATE UNIQUE INDEX keys_pkey ON belay.keys USING btree (idem);

CREATE UNIQUE INDEX meta_pkey ON belay.meta USING btree (one);

CREATE INDEX names_by_name ON belay.names USING btree (owner, name, era, xid, pos);

CREATE UNIQUE INDEX names_pkey ON belay.names USING btree (sid, name);

CREATE UNIQUE INDEX nodes_pkey ON belay.nodes USING btree (id);

CREATE INDEX rows_by_key ON belay.rows USING btree (sid, kind, key) WHERE (key IS NOT NULL);

CREATE UNIQUE INDEX rows_pkey ON belay.rows USING btree (sid, kind, place, nth, seq);

CREATE INDEX streams_by_activity ON belay.streams USING btree (kind, owner, activity, sid);

CREATE INDEX streams_by_agent ON belay.streams USING btree (kind, owner, agent, status, activity, sid);

CREATE UNIQUE INDEX streams_by_id ON belay.streams USING btree (id);

CREATE UNIQUE INDEX streams_by_key ON belay.streams USING btree (kind, owner, key);

CREATE INDEX streams_by_kind ON belay.streams USING btree (kind, activity, sid);

CREATE INDEX streams_by_parent ON belay.streams USING btree (parent, parent_upto) WHERE (parent IS NOT NULL);

CREATE INDEX streams_by_status ON belay.streams USING btree (kind, owner, status, activity, sid);

CREATE INDEX streams_by_task ON belay.streams USING btree (kind, owner, task, activity, sid) WHERE (task <> ''::text);

CREATE INDEX streams_pinned ON belay.streams USING btree (kind, owner, activity, sid) WHERE (pinned = 1);

CREATE UNIQUE INDEX streams_pkey ON belay.streams USING btree (sid);

CREATE INDEX streams_unsettled ON belay.streams USING btree (kind, owner, activity, sid) WHERE (unsettled = 1);

CREATE INDEX streams_waiting ON belay.streams USING btree (kind, owner, activity, sid) WHERE (waiting > (0)::double precision);

CREATE UNIQUE INDEX tombstones_pkey ON belay.tombstones USING btree (id);

CREATE OR REPLACE FUNCTION belay.copy_history(copies json, this_era integer)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
BEGIN
  INSERT INTO belay.events (sid, seq, era, pos, type, at, actor, interface, trace_id, hash, idem, digest, span, origin,
      opens, row_key, body, bytes)
    SELECT c.sid, e.seq, this_era, 0, e.type, e.at, e.actor, e.interface, e.trace_id, e.hash, e.idem, e.digest, e.span,
      coalesce(e.origin, s.id), e.opens, e.row_key, e.body, e.bytes
    FROM json_to_recordset(copies) AS c(sid bigint, source bigint, lo bigint, hi bigint)
    JOIN belay.streams s ON s.sid = c.source
    JOIN belay.events e ON e.sid = c.source AND e.seq BETWEEN c.lo AND c.hi;
  INSERT INTO belay.rows (sid, kind, place, nth, seq, key, data, bytes)
    SELECT c.sid, r.kind, r.place, r.nth, r.seq, r.key, r.data, r.bytes
    FROM json_to_recordset(copies) AS c(sid bigint, source bigint, lo bigint, hi bigint)
    JOIN belay.rows r ON r.sid = c.source AND r.seq BETWEEN c.lo AND c.hi;
  INSERT INTO belay.heads (sid, seq, head, bytes)
    SELECT c.sid, h.seq, h.head, h.bytes
    FROM json_to_recordset(copies) AS c(sid bigint, source bigint, lo bigint, hi bigint)
    JOIN belay.heads h ON h.sid = c.source AND h.seq BETWEEN c.lo AND c.hi;
  INSERT INTO belay.blob_holders (sid, bid, seq)
    SELECT c.sid, b.bid, b.seq
    FROM json_to_recordset(copies) AS c(sid bigint, source bigint, lo bigint, hi bigint)
    JOIN belay.blob_holders b ON b.sid = c.source AND b.seq < c.hi
    ON CONFLICT DO NOTHING;
END $function$;

CREATE OR REPLACE FUNCTION belay.drop_unheld(bids bigint[])
 RETURNS void
 LANGUAGE plpgsql
AS $function$
BEGIN
  DELETE FROM belay.blobs b WHERE b.bid = ANY (bids)
    AND NOT EXISTS (SELECT 1 FROM belay.blob_holders h WHERE h.bid = b.bid);
  DELETE FROM belay.blob_chunks c WHERE c.bid = ANY (bids)
    AND NOT EXISTS (SELECT 1 FROM belay.blobs b WHERE b.bid = c.bid);
END $function$;

CREATE OR REPLACE FUNCTION belay.feed_end(OUT era integer, OUT xid xid8)
 RETURNS record
 LANGUAGE plpgsql
AS $function$
DECLARE
  top bigint := pg_snapshot_xmax(pg_current_snapshot())::text::bigint;
  low bigint;
BEGIN
  -- A transaction id of 32 bits lies at most two billion away from the newest one.
  SELECT min(top - (((top - a.backend_xid::text::bigint) & 4294967295) # 2147483648) + 2147483648) INTO low
    FROM pg_stat_get_activity(NULL) a WHERE a.usesysid = current_user::regrole AND a.backend_xid IS NOT NULL;
  SELECT m.era INTO feed_end.era FROM belay.meta m;
  feed_end.xid := least(top, low)::text::xid8;
END $function$;

CREATE OR REPLACE FUNCTION belay.lock(locks bigint[])
 RETURNS void
 LANGUAGE plpgsql
 SET lock_timeout TO '10s'
AS $function$
DECLARE one bigint;
BEGIN
  FOREACH one IN ARRAY locks LOOP PERFORM pg_advisory_xact_lock(one); END LOOP;
END $function$;

CREATE OR REPLACE FUNCTION belay.now_ms()
 RETURNS double precision
 LANGUAGE sql
AS $function$ SELECT (extract(epoch FROM clock_timestamp()) * 1000)::double precision $function$;

CREATE OR REPLACE FUNCTION belay.purge(stream text, moment double precision)
 RETURNS boolean
 LANGUAGE plpgsql
AS $function$
DECLARE
  gone belay.streams;
BEGIN
  SELECT * INTO gone FROM belay.streams s WHERE s.id = stream AND s.kind <> 'purged';
  IF gone.sid IS NULL THEN RETURN false; END IF;
  INSERT INTO belay.tombstones (id, seq, hash, at) VALUES (gone.id, gone.seq, gone.hash, moment);
  PERFORM belay.reduce(gone.sid);
  RETURN true;
END $function$;

CREATE OR REPLACE FUNCTION belay.read_feed(after_era integer, after_xid xid8, after_pos integer, most integer, most_bytes double precision)
 RETURNS TABLE(era integer, xid xid8, pos integer, stream text, kind text, owner text, key text, seq bigint, type text, at double precision, actor text, interface text, trace_id text, hash text, body text, bytes bytea)
 LANGUAGE plpgsql
AS $function$
DECLARE
  last record;
BEGIN
  SELECT * INTO last FROM belay.feed_end();
  RETURN QUERY
    SELECT p.era, p.xid, p.pos, p.id, p.kind, p.owner, p.key, p.seq, p.type, p.at, p.actor, p.interface, p.trace_id,
      encode(p.hash, 'hex'), p.body, p.bytes
    FROM (
      SELECT q.*, sum(q.size) OVER (ORDER BY q.era, q.xid, q.pos) AS total,
        row_number() OVER (ORDER BY q.era, q.xid, q.pos) AS n
      FROM (
        SELECT e.era, e.xid, e.pos, s.id, s.kind, s.owner, s.key, e.seq, e.type, e.at, e.actor, e.interface, e.trace_id,
          e.hash, e.body, e.bytes,
          coalesce(octet_length(e.bytes), octet_length(e.body)) AS size
        FROM belay.events e JOIN belay.streams s ON s.sid = e.sid
        WHERE e.origin IS NULL AND s.kind <> 'purged'
          AND (e.era, e.xid, e.pos) > (after_era, after_xid, after_pos)
          AND (e.era, e.xid) < (last.era, last.xid)
        ORDER BY e.era, e.xid, e.pos LIMIT most
      ) q
    ) p
    WHERE p.n = 1 OR most_bytes IS NULL OR p.total <= most_bytes
    ORDER BY p.era, p.xid, p.pos;
END $function$;

CREATE OR REPLACE FUNCTION belay.reduce(stream bigint)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
DECLARE
  gone belay.streams;
  upto bigint;
  bids bigint[];
BEGIN
  SELECT * INTO gone FROM belay.streams s WHERE s.sid = stream;
  SELECT coalesce(max(s.parent_upto), 0) INTO upto FROM belay.streams s WHERE s.parent = stream;
  IF gone.kind = 'purged' AND upto = gone.seq THEN RETURN; END IF;
  DELETE FROM belay.events e WHERE e.sid = stream AND e.seq > upto;
  DELETE FROM belay.rows r WHERE r.sid = stream AND r.seq > upto;
  DELETE FROM belay.heads h WHERE h.sid = stream AND h.seq > upto;
  DELETE FROM belay.names n WHERE n.sid = stream;
  DELETE FROM belay.keys k WHERE k.sid = stream;
  SELECT array_agg(b.bid) INTO bids FROM belay.blob_holders b WHERE b.sid = stream AND b.seq >= upto;
  DELETE FROM belay.blob_holders b WHERE b.sid = stream AND b.seq >= upto;
  PERFORM belay.drop_unheld(bids);
  IF upto > 0 THEN
    UPDATE belay.streams s SET kind = 'purged', owner = '', key = s.id, seq = upto, holder = NULL,
      hash = (SELECT e.hash FROM belay.events e WHERE e.sid = stream AND e.seq = upto), renewed = NULL, status = '', phase = '', agent = '', interface = '', project = '', task = '', waiting = 0,
      unsettled = 0, pinned = 0, created = 0, activity = 0, head = 'null', bytes = NULL
      WHERE s.sid = stream;
    RETURN;
  END IF;
  DELETE FROM belay.streams s WHERE s.sid = stream;
  PERFORM belay.reduce(s.sid) FROM belay.streams s WHERE s.sid = gone.parent AND s.kind = 'purged';
END $function$;

CREATE OR REPLACE FUNCTION belay.renewed_at(holder text, renewed double precision)
 RETURNS double precision
 LANGUAGE sql
 STABLE
AS $function$
  SELECT CASE WHEN position('"member":' IN $1) = 0 THEN $2 ELSE (
    SELECT n.renewed FROM belay.nodes n
    WHERE n.id = $1::json #>> '{member,node}' AND n.epoch = ($1::json #>> '{member,epoch}')::bigint
  ) END
$function$;

CREATE OR REPLACE FUNCTION belay.write(locks bigint[], checks json, absent json, missing json, keys json, created json, created_heads text[], updated json, updated_heads text[], copies json, events json, bodies text[], patches json, patch_data text[], heads json, older_heads text[], names json)
 RETURNS json
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
AS $function$
DECLARE
  moved json;
  this_era integer;
BEGIN
  PERFORM belay.lock(locks);
  SELECT json_agg(m.what) INTO moved FROM (
    SELECT json_build_object('sid', c.sid) AS what
      FROM json_to_recordset(write.checks) AS c(sid bigint, seq bigint, epoch bigint, live boolean, ms double precision)
      LEFT JOIN belay.streams s ON s.sid = c.sid
      WHERE s.seq IS DISTINCT FROM c.seq OR s.epoch IS DISTINCT FROM c.epoch OR s.kind = 'purged'
        OR c.live IS NOT NULL AND c.live IS DISTINCT FROM (coalesce(belay.now_ms() - belay.renewed_at(s.holder, s.renewed) < c.ms, false))
    UNION ALL
    SELECT json_build_object('key', json_build_array(c.kind, c.owner, c.key))
      FROM json_to_recordset(write.absent) AS c(kind text, owner text, key text)
      JOIN belay.streams s ON s.kind = c.kind AND s.owner = c.owner AND s.key = c.key
    UNION ALL
    SELECT json_build_object('id', c.id)
      FROM json_to_recordset(write.missing) AS c(id text)
      JOIN belay.streams s ON s.id = c.id AND s.kind <> 'purged'
    UNION ALL
    SELECT json_build_object('id', c.id)
      FROM json_to_recordset(write.created) AS c(id text)
      WHERE EXISTS (SELECT 1 FROM belay.streams s WHERE s.id = c.id)
        OR EXISTS (SELECT 1 FROM belay.tombstones t WHERE t.id = c.id)
    UNION ALL
    SELECT json_build_object('idem', c.idem)
      FROM json_to_recordset(write.keys) AS c(idem text)
      JOIN belay.keys k ON k.idem = decode(c.idem, 'hex')
  ) m;
  IF moved IS NOT NULL THEN RETURN moved; END IF;
  IF write.events IS NULL THEN RETURN NULL; END IF;
  SELECT era INTO this_era FROM belay.meta;

  IF write.created IS NOT NULL THEN
    INSERT INTO belay.streams (sid, id, kind, owner, key, seq, hash, lineage, parent, parent_upto,
        status, phase, agent, interface, project, task, waiting, unsettled, pinned, created, activity, head, bytes)
      SELECT c.sid, c.id, c.kind, c.owner, c.key, c.seq, decode(c.hash, 'hex'), c.lineage, c.parent, c.parent_upto,
        c.status, c.phase, c.agent, c.interface, c.project, c.task, c.waiting, c.unsettled, c.pinned, c.created, c.activity,
        CASE WHEN NOT c.is_bytes THEN h END, CASE WHEN c.is_bytes THEN decode(h, 'hex') END
      FROM ROWS FROM (json_to_recordset(write.created) AS (sid bigint, id text, kind text, owner text, key text,
        seq bigint, hash text, lineage text, parent bigint, parent_upto bigint, status text, phase text, agent text,
        interface text, project text, task text, waiting double precision, unsettled smallint, pinned smallint,
        created double precision, activity double precision, is_bytes boolean), unnest(write.created_heads))
        AS c(sid, id, kind, owner, key, seq, hash, lineage, parent, parent_upto, status, phase, agent, interface, project,
          task, waiting, unsettled, pinned, created, activity, is_bytes, h);
  END IF;
  IF write.updated IS NOT NULL THEN
    UPDATE belay.streams s SET seq = c.seq, hash = decode(c.hash, 'hex'), status = c.status, phase = c.phase,
        agent = c.agent, interface = c.interface, project = c.project, task = c.task, waiting = c.waiting,
        unsettled = c.unsettled, pinned = c.pinned, created = c.created, activity = c.activity,
        head = CASE WHEN NOT c.is_bytes THEN h END, bytes = CASE WHEN c.is_bytes THEN decode(h, 'hex') END
      FROM ROWS FROM (json_to_recordset(write.updated) AS (sid bigint, seq bigint, hash text, status text, phase text,
        agent text, interface text, project text, task text, waiting double precision, unsettled smallint, pinned smallint,
        created double precision, activity double precision, is_bytes boolean), unnest(write.updated_heads))
        AS c(sid, seq, hash, status, phase, agent, interface, project, task, waiting, unsettled, pinned, created, activity,
          is_bytes, h)
      WHERE s.sid = c.sid;
  END IF;
  IF write.copies IS NOT NULL THEN PERFORM belay.copy_history(write.copies, this_era); END IF;

  INSERT INTO belay.events (sid, seq, era, pos, type, at, actor, interface, trace_id, hash, idem, digest, span,
      opens, row_key, body, bytes)
    SELECT c.sid, c.seq, this_era, c.pos, c.type, c.at, c.actor, c.interface, c.trace_id, decode(c.hash, 'hex'),
      c.idem, c.digest, c.span, c.opens, c.row_key,
      CASE WHEN NOT c.is_bytes THEN b END, CASE WHEN c.is_bytes THEN decode(b, 'hex') END
    FROM ROWS FROM (json_to_recordset(write.events) AS (sid bigint, seq bigint, pos integer, type text,
      at double precision, actor text, interface text, trace_id text, hash text, idem text, digest text, span integer,
      opens text, row_key text, is_bytes boolean), unnest(write.bodies))
      AS c(sid, seq, pos, type, at, actor, interface, trace_id, hash, idem, digest, span, opens, row_key, is_bytes, b);
  IF write.patches IS NOT NULL THEN
    INSERT INTO belay.rows (sid, kind, place, nth, seq, key, data, bytes)
      SELECT c.sid, c.kind, c.place, c.nth, c.seq, c.key,
        CASE WHEN NOT c.is_bytes THEN d END, CASE WHEN c.is_bytes THEN decode(d, 'hex') END
      FROM ROWS FROM (json_to_recordset(write.patches) AS (sid bigint, kind text, place bigint, nth integer, seq bigint,
        key text, is_bytes boolean), unnest(write.patch_data)) AS c(sid, kind, place, nth, seq, key, is_bytes, d);
  END IF;
  IF write.heads IS NOT NULL THEN
    INSERT INTO belay.heads (sid, seq, head, bytes)
      SELECT c.sid, c.seq, CASE WHEN NOT c.is_bytes THEN h END, CASE WHEN c.is_bytes THEN decode(h, 'hex') END
      FROM ROWS FROM (json_to_recordset(write.heads) AS (sid bigint, seq bigint, is_bytes boolean), unnest(write.older_heads))
        AS c(sid, seq, is_bytes, h);
  END IF;
  IF write.names IS NOT NULL THEN
    INSERT INTO belay.names (sid, name, owner, era, pos, seq)
      SELECT c.sid, c.name, c.owner, this_era, c.pos, c.seq
      FROM json_to_recordset(write.names) AS c(sid bigint, name text, owner text, pos integer, seq bigint)
      ON CONFLICT (sid, name) DO NOTHING;
  END IF;
  IF write.keys IS NOT NULL THEN
    INSERT INTO belay.keys (idem, sid, seq)
      SELECT decode(c.idem, 'hex'), c.sid, c.seq
      FROM json_to_recordset(write.keys) AS c(idem text, sid bigint, seq bigint) WHERE c.sid IS NOT NULL;
  END IF;
  RETURN NULL;
END $function$;

CREATE OR REPLACE FUNCTION belay.write_batch(locks bigint[], checks json, absent json, missing json, keys json, created json, updated json, copies json, events json, patches json, heads json, names json, contents bytea)
 RETURNS json
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
AS $function$
DECLARE
  moved json;
  this_era integer;
BEGIN
  PERFORM belay.lock(locks);
  IF write_batch.absent IS NOT NULL OR write_batch.missing IS NOT NULL OR write_batch.keys IS NOT NULL
      OR write_batch.created IS NOT NULL THEN
    SELECT json_agg(m.what) INTO moved FROM (
      SELECT json_build_object('key', json_build_array(c.kind, c.owner, c.key)) AS what
        FROM json_to_recordset(write_batch.absent) AS c(kind text, owner text, key text)
        JOIN belay.streams s ON s.kind = c.kind AND s.owner = c.owner AND s.key = c.key
      UNION ALL
      SELECT json_build_object('id', c.id)
        FROM json_to_recordset(write_batch.missing) AS c(id text)
        JOIN belay.streams s ON s.id = c.id AND s.kind <> 'purged'
      UNION ALL
      SELECT json_build_object('id', c.id)
        FROM json_to_recordset(write_batch.created) AS c(id text)
        WHERE EXISTS (SELECT 1 FROM belay.streams s WHERE s.id = c.id)
          OR EXISTS (SELECT 1 FROM belay.tombstones t WHERE t.id = c.id)
      UNION ALL
      SELECT json_build_object('idem', c.idem)
        FROM json_to_recordset(write_batch.keys) AS c(idem text)
        JOIN belay.keys k ON k.idem = decode(c.idem, 'hex')
    ) m;
    IF moved IS NOT NULL THEN RETURN moved; END IF;
  END IF;
  SELECT json_agg(json_build_object('sid', c.sid)) INTO moved
    FROM json_to_recordset(write_batch.checks) AS c(sid bigint, seq bigint, epoch bigint, live boolean, ms double precision)
    LEFT JOIN belay.streams s ON s.sid = c.sid
    WHERE s.seq IS DISTINCT FROM c.seq OR s.epoch IS DISTINCT FROM c.epoch OR s.kind = 'purged'
      OR c.live IS NOT NULL AND c.live IS DISTINCT FROM (coalesce(belay.now_ms() - belay.renewed_at(s.holder, s.renewed) < c.ms, false));
  IF moved IS NOT NULL THEN RETURN moved; END IF;
  IF write_batch.events IS NULL THEN RETURN NULL; END IF;
  SELECT m.era INTO this_era FROM belay.meta m;

  IF write_batch.created IS NOT NULL THEN
    INSERT INTO belay.streams (sid, id, kind, owner, key, seq, hash, lineage, parent, parent_upto,
        status, phase, agent, interface, project, task, waiting, unsettled, pinned, created, activity, head, bytes)
      SELECT c.sid, c.id, c.kind, c.owner, c.key, c.seq, decode(c.hash, 'hex'), c.lineage, c.parent, c.parent_upto,
        c.status, c.phase, c.agent, c.interface, c.project, c.task, c.waiting, c.unsettled, c.pinned, c.created, c.activity,
        CASE WHEN c.is_bytes IS NULL THEN convert_from(substring(write_batch.contents FROM c.start + 1 FOR c.size), 'UTF8') END, CASE WHEN c.is_bytes THEN substring(write_batch.contents FROM c.start + 1 FOR c.size) END
      FROM json_to_recordset(write_batch.created) AS c(sid bigint, id text, kind text, owner text, key text,
        seq bigint, hash text, lineage text, parent bigint, parent_upto bigint, status text, phase text, agent text,
        interface text, project text, task text, waiting double precision, unsettled smallint, pinned smallint,
        created double precision, activity double precision, start integer, size integer, is_bytes boolean);
  END IF;
  IF write_batch.updated IS NOT NULL THEN
    UPDATE belay.streams s SET seq = c.seq, hash = decode(c.hash, 'hex'), status = c.status, phase = c.phase,
        agent = c.agent, interface = c.interface, project = c.project, task = c.task, waiting = c.waiting,
        unsettled = c.unsettled, pinned = c.pinned, created = c.created, activity = c.activity,
        (head, bytes) = ROW(CASE WHEN c.is_bytes IS NULL THEN convert_from(substring(write_batch.contents FROM c.start + 1 FOR c.size), 'UTF8') END, CASE WHEN c.is_bytes THEN substring(write_batch.contents FROM c.start + 1 FOR c.size) END)
      FROM json_to_recordset(write_batch.updated) AS c(sid bigint, seq bigint, hash text, status text, phase text,
        agent text, interface text, project text, task text, waiting double precision, unsettled smallint, pinned smallint,
        created double precision, activity double precision, start integer, size integer, is_bytes boolean)
      WHERE s.sid = c.sid;
  END IF;
  IF write_batch.copies IS NOT NULL THEN PERFORM belay.copy_history(write_batch.copies, this_era); END IF;

  INSERT INTO belay.events (sid, seq, era, pos, type, at, actor, interface, trace_id, hash, idem, digest, span,
      opens, row_key, body, bytes)
    SELECT c.sid, c.seq, this_era, c.pos, c.type, c.at, c.actor, c.interface, c.trace_id, decode(c.hash, 'hex'),
      c.idem, c.digest, c.span, c.opens, c.row_key, CASE WHEN c.is_bytes IS NULL THEN convert_from(substring(write_batch.contents FROM c.start + 1 FOR c.size), 'UTF8') END, CASE WHEN c.is_bytes THEN substring(write_batch.contents FROM c.start + 1 FOR c.size) END
    FROM json_to_recordset(write_batch.events) AS c(sid bigint, seq bigint, pos integer, type text,
      at double precision, actor text, interface text, trace_id text, hash text, idem text, digest text, span integer,
      opens text, row_key text, start integer, size integer, is_bytes boolean);
  IF write_batch.patches IS NOT NULL THEN
    INSERT INTO belay.rows (sid, kind, place, nth, seq, key, data, bytes)
      SELECT c.sid, c.kind, c.place, c.nth, c.seq, c.key, CASE WHEN c.is_bytes IS NULL THEN convert_from(substring(write_batch.contents FROM c.start + 1 FOR c.size), 'UTF8') END, CASE WHEN c.is_bytes THEN substring(write_batch.contents FROM c.start + 1 FOR c.size) END
      FROM json_to_recordset(write_batch.patches) AS c(sid bigint, kind text, place bigint, nth integer, seq bigint,
        key text, start integer, size integer, is_bytes boolean);
  END IF;
  IF write_batch.heads IS NOT NULL THEN
    INSERT INTO belay.heads (sid, seq, head, bytes)
      SELECT c.sid, c.seq, CASE WHEN c.is_bytes IS NULL THEN convert_from(substring(write_batch.contents FROM c.start + 1 FOR c.size), 'UTF8') END, CASE WHEN c.is_bytes THEN substring(write_batch.contents FROM c.start + 1 FOR c.size) END
      FROM json_to_recordset(write_batch.heads) AS c(sid bigint, seq bigint, start integer, size integer, is_bytes boolean);
  END IF;
  IF write_batch.names IS NOT NULL THEN
    INSERT INTO belay.names (sid, name, owner, era, pos, seq)
      SELECT c.sid, c.name, c.owner, this_era, c.pos, c.seq
      FROM json_to_recordset(write_batch.names) AS c(sid bigint, name text, owner text, pos integer, seq bigint)
      ON CONFLICT (sid, name) DO NOTHING;
  END IF;
  IF write_batch.keys IS NOT NULL THEN
    INSERT INTO belay.keys (idem, sid, seq)
      SELECT decode(c.idem, 'hex'), c.sid, c.seq
      FROM json_to_recordset(write_batch.keys) AS c(idem text, sid bigint, seq bigint) WHERE c.sid IS NOT NULL;
  END IF;
  RETURN NULL;
END $function$;
