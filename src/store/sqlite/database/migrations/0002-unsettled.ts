/**
 * Marks streams that sweeps must check. Existing streams are marked too: a needless check is
 * harmless, a missing one is not. The index contains the status, so that long-ended streams are
 * skipped.
 */
export const unsettled = `
ALTER TABLE streams ADD COLUMN unsettled INTEGER NOT NULL DEFAULT 1;
CREATE INDEX streams_unsettled ON streams (kind, owner, status, activity) WHERE unsettled = 1;
`;
