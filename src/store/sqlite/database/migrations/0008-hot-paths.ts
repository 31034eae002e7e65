/**
 * A CRC over the columns that lists show, so that a list need not read and hash the others. Rows of
 * older versions have none until they are written again: lists read them whole.
 *
 * The index of events by seq has no kinds any more, only whether an event opens an index row. This
 * takes no byte, so that appends to many streams write fewer pages.
 */
export const hotPaths = `
ALTER TABLE streams ADD COLUMN crc INTEGER;
DROP INDEX events_by_seq;
CREATE INDEX events_by_seq ON events (sid, seq, (opens IS NOT NULL));
`;
