/**
 * Contents that are bytes, as encryption hands them in, beside the text that stands there otherwise. A column of its
 * own costs nothing where it is not used, and is added without writing a row.
 */
export const bytes = `
ALTER TABLE events ADD COLUMN bytes BLOB;
ALTER TABLE rows ADD COLUMN bytes BLOB;
ALTER TABLE heads ADD COLUMN bytes BLOB;
ALTER TABLE streams ADD COLUMN bytes BLOB;
`;
