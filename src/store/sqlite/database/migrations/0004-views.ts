/**
 * Views of the backlog and the audit log, for programs that read the database directly. Nothing is
 * stored twice.
 */
export const views = `
CREATE VIEW backlog AS SELECT key AS id, owner,
  json_extract(head, '$.title') AS title, json_extract(head, '$.status') AS status,
  json_extract(head, '$.priority') AS priority, json_extract(head, '$.est_hours') AS est_hours,
  json_extract(head, '$.added_at') AS added_at
  FROM streams WHERE kind = 'task' AND json_valid(head);

CREATE VIEW audit AS SELECT events.pos AS id,
  strftime('%Y-%m-%dT%H:%M:%fZ', events.at / 1000.0, 'unixepoch') AS timestamp,
  streams.owner, streams.kind, streams.key, streams.id AS entity_id, events.seq, events.type AS event,
  events.actor, events.interface, events.trace_id, events.body AS details
  FROM events JOIN streams USING (sid);
`;
