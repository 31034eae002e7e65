/**
 * A checksum for each chunk of a blob. It is null for the chunks of earlier versions and of nodes that run one: computing
 * it here would confirm bytes that were altered before. Their blobs are checked against the digest alone.
 */
export const chunkSums = `
ALTER TABLE belay.blob_chunks ADD COLUMN sum bytea;
`;
