/** A text in its column, and bytes in theirs, cut out of all contents of the batch. */
const CUT = "substring(write_batch.contents FROM c.start + 1 FOR c.size)";
const CONTENT = `CASE WHEN c.is_bytes IS NULL THEN convert_from(${CUT}, 'UTF8') END, CASE WHEN c.is_bytes THEN ${CUT} END`;
const PLACE = "start integer, size integer, is_bytes boolean";

/**
 * Replaces `belay.write`, which older nodes still call. All contents of a batch are one parameter of bytes, which is
 * neither escaped nor parsed. Parts that a batch does not have are skipped.
 *
 * The locks are taken by a statement of their own, so that the next statement sees what their last holders wrote.
 */
export const writeBatch = `
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
`;
