/**
 * A CRC over the columns that lists show, so that a list need not read and hash the others. Rows of
 * older versions have none until they are written again: lists read them whole. A process of an
 * older version that still has the database open changes a row without its CRC, which the trigger
 * then removes.
 *
 * The index of events by seq has no kinds any more, only whether an event opens an index row. This
 * takes no byte, so that appends to many streams write fewer pages.
 */
export const hotPaths = `
ALTER TABLE streams ADD COLUMN crc INTEGER;
CREATE TRIGGER old_crcs_are_removed AFTER UPDATE OF sum ON streams WHEN NEW.crc = OLD.crc BEGIN
  UPDATE streams SET crc = NULL WHERE sid = NEW.sid;
END;
DROP INDEX events_by_seq;
CREATE INDEX events_by_seq ON events (sid, seq, (opens IS NOT NULL));
`;
