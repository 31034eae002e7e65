/**
 * An event may open an index row itself, of which its body is the first patch: such a row has no entry in `rows`. It names the
 * kind (`opens`), the key, and the event before it that opened one of its kind (`opened`, 0 for none). A stream knows the last
 * one of each kind. The kind stands in the index too, so that rows are found without looking at the other events.
 *
 * `crc` is over all columns of an event, so that a reader need not know the event before it. Events of before have none.
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
