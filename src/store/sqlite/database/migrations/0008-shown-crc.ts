/**
 * A CRC over the columns that lists show, so that a list need not read and hash the others. Rows of
 * older versions have none until they are written again: lists read them whole.
 */
export const shownCrc = `
ALTER TABLE streams ADD COLUMN crc INTEGER;
`;
