/** The registrations of nodes, and leases that belong to a registration. */
export const nodes = `
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

-- The time of the last renewal of a lease. A lease of a node is renewed and lost with its registration.
CREATE FUNCTION belay.renewed_at(holder text, renewed double precision) RETURNS double precision LANGUAGE sql STABLE AS $$
  SELECT CASE WHEN position('"member":' IN $1) = 0 THEN $2 ELSE (
    SELECT n.renewed FROM belay.nodes n
    WHERE n.id = $1::json #>> '{member,node}' AND n.epoch = ($1::json #>> '{member,epoch}')::bigint
  ) END
$$;

DO $do$
DECLARE
  written text := pg_get_functiondef('belay.write'::regproc);
  checked text := replace(written, 'belay.now_ms() - s.renewed < c.ms',
    'coalesce(belay.now_ms() - belay.renewed_at(s.holder, s.renewed) < c.ms, false)');
BEGIN
  IF checked = written THEN RAISE EXCEPTION 'belay.write does not check leases'; END IF;
  EXECUTE checked;
END $do$;
`;
