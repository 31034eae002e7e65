/**
 * A column for byte contents, which encryption writes, next to the text column. An unused column
 * costs nothing, and adding it rewrites no row.
 */
export const bytes = `
ALTER TABLE events ADD COLUMN bytes BLOB;
ALTER TABLE rows ADD COLUMN bytes BLOB;
ALTER TABLE heads ADD COLUMN bytes BLOB;
ALTER TABLE streams ADD COLUMN bytes BLOB;
`;
