/**
 * An event may open an index row itself: its body is the first patch, and the row has no entry in
 * `rows`. The event stores the kind (`opens`), the key, and the previous event that opened a row of
 * that kind (`opened`, 0 for none). A stream stores the last one of each kind. The kind is indexed
 * too, so that rows are found without reading other events.
 *
 * `crc` covers all columns of an event, so that a reader does not need the previous event. Older
 * events have none.
 */
export const openedRows = `
ALTER TABLE events ADD COLUMN opens TEXT;
ALTER TABLE events ADD COLUMN row_key TEXT;
ALTER TABLE events ADD COLUMN opened INTEGER;
ALTER TABLE events ADD COLUMN crc INTEGER;
ALTER TABLE streams ADD COLUMN opened TEXT;
DROP INDEX events_by_seq;
CREATE INDEX events_by_seq ON events (sid, seq, opens);
CREATE INDEX events_by_row_key ON events (sid, opens, row_key) WHERE row_key IS NOT NULL;
`;
