/**
 * A write touches few rows, which it finds by index. The planner expects a hundred, and reads whole tables instead while
 * it believes that they are small.
 */
export const writePlans = `
ALTER FUNCTION belay.write SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off;
`;
