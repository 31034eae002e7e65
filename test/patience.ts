/**
 * How long a test waits for something that must happen. Only a test that fails waits this long, so it is far more than a
 * busy machine needs.
 */
export const PATIENCE_MS = 60_000;

/** For a test that bounds time by the clock on the wall: one try of three in time shows that it can be done. */
export const MEASURED = { retry: 2 } as const;
