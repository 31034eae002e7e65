/** The version of the tables that a node must know at least to work with them. */
export const required = `
ALTER TABLE belay.meta ADD COLUMN required integer NOT NULL DEFAULT 2;
`;
