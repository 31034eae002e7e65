/** A text in its column, and bytes in theirs, cut out of all contents of a batch. */
const CUT = "substring(write_batch.contents FROM c.start + 1 FOR c.size)";
const CONTENT = `CASE WHEN c.is_bytes IS NULL THEN convert_from(${CUT}, 'UTF8') END, CASE WHEN c.is_bytes THEN ${CUT} END`;
const PLACE = "start integer, size integer, is_bytes boolean";

/** Functions that run several statements in one round trip. */
export const FUNCTIONS = `
CREATE FUNCTION belay.now_ms() RETURNS double precision LANGUAGE sql VOLATILE
AS $$ SELECT (extract(epoch FROM clock_timestamp()) * 1000)::double precision $$;

CREATE FUNCTION belay.lock(locks bigint[]) RETURNS void LANGUAGE plpgsql VOLATILE
SET lock_timeout = '10s' AS $$
DECLARE one bigint;
BEGIN
  FOREACH one IN ARRAY locks LOOP PERFORM pg_advisory_xact_lock(one); END LOOP;
END $$;

-- The time of the last renewal of a lease. A lease of a node is renewed and lost with its registration.
CREATE FUNCTION belay.renewed_at(holder text, renewed double precision) RETURNS double precision LANGUAGE sql STABLE AS $$
  SELECT CASE WHEN position('"member":' IN $1) = 0 THEN $2 ELSE (
    SELECT n.renewed FROM belay.nodes n
    WHERE n.id = $1::json #>> '{member,node}' AND n.epoch = ($1::json #>> '{member,epoch}')::bigint
  ) END
$$;

-- Checks what a batch was decided on, and writes all of it or answers what has moved. Every lock comes before the first
-- write, which makes the order of transaction ids that of seqs. The locks are taken by a statement of their own, so that the
-- next statement sees what their last holders wrote. All contents of a batch are one parameter of bytes, which is neither
-- escaped nor parsed. Parts that a batch does not have are skipped.
CREATE FUNCTION belay.write_batch(locks bigint[], checks json, absent json, missing json, keys json, created json,
  updated json, copies json, events json, patches json, heads json, names json, contents bytea)
RETURNS json LANGUAGE plpgsql SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
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
        ${CONTENT}
      FROM json_to_recordset(write_batch.created) AS c(sid bigint, id text, kind text, owner text, key text,
        seq bigint, hash text, lineage text, parent bigint, parent_upto bigint, status text, phase text, agent text,
        interface text, project text, task text, waiting double precision, unsettled smallint, pinned smallint,
        created double precision, activity double precision, ${PLACE});
  END IF;
  IF write_batch.updated IS NOT NULL THEN
    UPDATE belay.streams s SET seq = c.seq, hash = decode(c.hash, 'hex'), status = c.status, phase = c.phase,
        agent = c.agent, interface = c.interface, project = c.project, task = c.task, waiting = c.waiting,
        unsettled = c.unsettled, pinned = c.pinned, created = c.created, activity = c.activity,
        (head, bytes) = ROW(${CONTENT})
      FROM json_to_recordset(write_batch.updated) AS c(sid bigint, seq bigint, hash text, status text, phase text,
        agent text, interface text, project text, task text, waiting double precision, unsettled smallint, pinned smallint,
        created double precision, activity double precision, ${PLACE})
      WHERE s.sid = c.sid;
  END IF;
  IF write_batch.copies IS NOT NULL THEN PERFORM belay.copy_history(write_batch.copies, this_era); END IF;

  INSERT INTO belay.events (sid, seq, era, pos, type, at, actor, interface, trace_id, hash, idem, digest, span,
      opens, row_key, body, bytes)
    SELECT c.sid, c.seq, this_era, c.pos, c.type, c.at, c.actor, c.interface, c.trace_id, decode(c.hash, 'hex'),
      c.idem, c.digest, c.span, c.opens, c.row_key, ${CONTENT}
    FROM json_to_recordset(write_batch.events) AS c(sid bigint, seq bigint, pos integer, type text,
      at double precision, actor text, interface text, trace_id text, hash text, idem text, digest text, span integer,
      opens text, row_key text, ${PLACE});
  IF write_batch.patches IS NOT NULL THEN
    INSERT INTO belay.rows (sid, kind, place, nth, seq, key, data, bytes)
      SELECT c.sid, c.kind, c.place, c.nth, c.seq, c.key, ${CONTENT}
      FROM json_to_recordset(write_batch.patches) AS c(sid bigint, kind text, place bigint, nth integer, seq bigint,
        key text, ${PLACE});
  END IF;
  IF write_batch.heads IS NOT NULL THEN
    INSERT INTO belay.heads (sid, seq, head, bytes)
      SELECT c.sid, c.seq, ${CONTENT}
      FROM json_to_recordset(write_batch.heads) AS c(sid bigint, seq bigint, ${PLACE});
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
END $$;

-- Gives a stream its own copy of all that it inherits, where too many streams would have to be asked for it.
CREATE FUNCTION belay.copy_history(copies json, this_era integer) RETURNS void LANGUAGE plpgsql VOLATILE AS $$
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
END $$;

-- Where readers of the feed stop: at the lowest transaction of this role that is still under way. Those that began
-- before the first statement are still listed by the second, or over, and then the next snapshot shows what they wrote.
CREATE FUNCTION belay.feed_end(OUT era integer, OUT xid xid8) LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  top bigint := pg_snapshot_xmax(pg_current_snapshot())::text::bigint;
  low bigint;
BEGIN
  -- A transaction id of 32 bits lies at most two billion away from the newest one.
  SELECT min(top - (((top - a.backend_xid::text::bigint) & 4294967295) # 2147483648) + 2147483648) INTO low
    FROM pg_stat_get_activity(NULL) a WHERE a.usesysid = current_user::regrole AND a.backend_xid IS NOT NULL;
  SELECT m.era INTO feed_end.era FROM belay.meta m;
  feed_end.xid := least(top, low)::text::xid8;
END $$;

CREATE FUNCTION belay.read_feed(
  after_era integer, after_xid xid8, after_pos integer, most integer, most_bytes double precision
) RETURNS TABLE (
  era integer, xid xid8, pos integer, stream text, kind text, owner text, key text, seq bigint, type text,
  at double precision, actor text, interface text, trace_id text, hash text, body text, bytes bytea
) LANGUAGE plpgsql VOLATILE AS $$
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
END $$;

-- Deletes a stream but for the events that forks share, and leaves a tombstone. The caller holds its lock and that of purges.
CREATE FUNCTION belay.purge(stream text, moment double precision) RETURNS boolean LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  gone belay.streams;
BEGIN
  SELECT * INTO gone FROM belay.streams s WHERE s.id = stream AND s.kind <> 'purged';
  IF gone.sid IS NULL THEN RETURN false; END IF;
  INSERT INTO belay.tombstones (id, seq, hash, at) VALUES (gone.id, gone.seq, gone.hash, moment);
  PERFORM belay.reduce(gone.sid);
  RETURN true;
END $$;

-- Deletes what no fork needs. When that is all of it, what this stream alone kept of its ancestors goes too.
CREATE FUNCTION belay.reduce(stream bigint) RETURNS void LANGUAGE plpgsql VOLATILE AS $$
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
END $$;

-- Removes the bytes that no stream holds any more.
CREATE FUNCTION belay.drop_unheld(bids bigint[]) RETURNS void LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  DELETE FROM belay.blobs b WHERE b.bid = ANY (bids)
    AND NOT EXISTS (SELECT 1 FROM belay.blob_holders h WHERE h.bid = b.bid);
  DELETE FROM belay.blob_chunks c WHERE c.bid = ANY (bids)
    AND NOT EXISTS (SELECT 1 FROM belay.blobs b WHERE b.bid = c.bid);
END $$;
`;
