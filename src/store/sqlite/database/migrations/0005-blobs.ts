/**
 * Blobs. An incomplete blob has no digest, and `renewed` is the time of its last chunk. A stream
 * holds a blob from the event after `seq` on.
 */
export const blobs = `
CREATE TABLE blobs (
  bid INTEGER PRIMARY KEY AUTOINCREMENT,
  digest BLOB,
  size INTEGER NOT NULL,
  renewed INTEGER
) STRICT;
CREATE UNIQUE INDEX blobs_by_digest ON blobs (digest) WHERE digest IS NOT NULL;

CREATE TABLE blob_chunks (
  bid INTEGER NOT NULL,
  nth INTEGER NOT NULL,
  packed INTEGER NOT NULL,
  sum BLOB NOT NULL,
  bytes BLOB NOT NULL
) STRICT;
CREATE UNIQUE INDEX blob_chunks_by_place ON blob_chunks (bid, nth);

CREATE TABLE blob_holders (
  sid INTEGER NOT NULL,
  bid INTEGER NOT NULL,
  seq INTEGER NOT NULL,
  PRIMARY KEY (sid, bid)
) STRICT, WITHOUT ROWID;
CREATE INDEX blob_holders_by_blob ON blob_holders (bid);
`;
