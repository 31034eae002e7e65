/** A secret of the nodes of this database, for messages that others carry. The random numbers are cryptographically strong. */
export const secret = `
ALTER TABLE belay.meta ADD COLUMN secret bytea NOT NULL DEFAULT
  decode(replace(gen_random_uuid()::text || gen_random_uuid()::text, '-', ''), 'hex');
`;
