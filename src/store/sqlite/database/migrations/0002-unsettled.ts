/**
 * Streams that may need a look by themselves. What was written before may: a needless look is harmless, a missing one is
 * not. The index has the status, so that those of them that have long ended are not looked at each time.
 */
export const unsettled = `
ALTER TABLE streams ADD COLUMN unsettled INTEGER NOT NULL DEFAULT 1;
CREATE INDEX streams_unsettled ON streams (kind, owner, status, activity) WHERE unsettled = 1;
`;
